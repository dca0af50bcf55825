import { describe, expect, test } from '@jest/globals';
import {
  type InstanceMapping,
  instanceMappings,
} from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import {
  type KymaInstanceMapping,
  kymaInstanceMapping,
  kymaInstanceMappings,
} from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { noFence } from '../../../../framework/base/concurrency/fence.ts';
import { reserveNothing } from '../../../../framework/base/concurrency/limit-key.ts';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { isConflict } from '../../../../framework/kube/errors/errors.ts';
import { apiError, createMemoryClient } from '../../../../framework/kube/fakes/memory-client.ts';
import { keyOf, keyString } from '../../../../framework/kube/object/object.ts';
import { secrets } from '../../../../framework/kube/object/resource-type.ts';
import { childrenLeftByGo, parentLeftByGo } from './left-by-go.fixture.ts';
import { migrateFromGo } from './migrate-from-go.ts';

const clock = createFakeClock();
const ctx = {
  signal: new AbortController().signal,
  log: nopLogger,
  isLowPriority: false,
  reserve: reserveNothing,
  clock,
  assertMayWrite: noFence,
};
const mapping = { serviceInstanceID: 'i', primaryID: 'c', secondaryID: 'shop' };
const owner = { name: 'shop', uid: 'uid-shop' };
const spec: KymaInstanceMapping['spec'] = {
  forProvider: {
    serviceInstanceRef: { name: 'hana', namespace: 'shop' },
    adminBindingRef: { name: 'hana-admin', namespace: 'shop' },
  },
};

interface Given {
  readonly namespace?: string;
  readonly ownerUid?: string;
  readonly finalizers?: string[];
  /** The Go provider has not recorded the mapping on the KymaInstanceMapping. */
  readonly unrecorded?: boolean;
  readonly made?: typeof mapping | Omit<typeof mapping, 'secondaryID'>;
}

/** The Go provider's objects on an API server in memory. */
function setup({
  namespace = 'crossplane-system',
  ownerUid = owner.uid,
  finalizers,
  unrecorded,
  made = mapping,
}: Given = {}) {
  const client = createMemoryClient({ clock });
  const { metadata, status } = parentLeftByGo(owner.name, made, namespace);
  const resource = kymaInstanceMapping({ ...owner, ...metadata, spec, ...(status ? { status } : {}) });
  if (unrecorded) delete resource.status?.atProvider?.hana;
  const { child, secret } = childrenLeftByGo({ ...owner, uid: ownerUid }, made, namespace);
  if (finalizers) child.metadata.finalizers = finalizers;
  client.seed(kymaInstanceMappings, resource);
  client.seed(instanceMappings, child);
  client.seed(secrets, secret);
  return {
    client,
    resource,
    childLeft: () => client.peek(instanceMappings, keyOf(child)),
    secretLeft: () => client.peek(secrets, keyOf(secret)),
    writes: () =>
      client.requests
        .filter(({ verb }) => verb !== 'get')
        .map(({ verb, type, key }) => `${verb} ${type.kind} ${key ? keyString(key) : ''}`),
  };
}

describe('objects of the Go provider', () => {
  test('are deleted: the Secret first, then the child after its finalizer was removed', async () => {
    const h = setup();
    await migrateFromGo(h.client, h.resource, ctx);
    expect(h.writes()).toEqual([
      'delete Secret crossplane-system/shop-admin-creds',
      'update InstanceMapping shop-mapping',
      'delete InstanceMapping shop-mapping',
    ]);
    expect([h.childLeft(), h.secretLeft()]).toEqual([undefined, undefined]);
    expect(h.resource.status?.atProvider).not.toHaveProperty('childResources');
    expect(h.resource.status?.atProvider?.hana?.mappingId).toEqual(mapping);
  });

  test('are found by the reference of the child', async () => {
    const h = setup({ namespace: 'elsewhere' });
    delete h.resource.status;
    await migrateFromGo(h.client, h.resource, ctx);
    expect(h.secretLeft()).toBeUndefined();
  });

  test.each([
    { title: 'the status of the Go provider', spec, status: 'elsewhere' },
    {
      title: 'the spec',
      spec: { forProvider: { ...spec.forProvider, credentialsSecretNamespace: 'elsewhere' } },
    },
  ])('are found by $title if the child is already deleted', async ({ spec: given, status }) => {
    const h = setup({ namespace: 'elsewhere', finalizers: [] });
    await h.client.delete(instanceMappings, { name: 'shop-mapping' });
    h.resource.spec = given;
    if (status === undefined) delete h.resource.status;
    await migrateFromGo(h.client, h.resource, ctx);
    expect(h.secretLeft()).toBeUndefined();
  });

  test('are kept if another resource owns them, even of the same name', async () => {
    const h = setup({ ownerUid: 'uid-of-another' });
    await migrateFromGo(h.client, h.resource, ctx);
    expect(h.writes()).toEqual([]);
  });

  test('are not requested after the migration', async () => {
    const h = setup();
    h.resource.metadata.annotations = { 'crossplane.io/external-name': 'i/c/shop' };
    delete h.resource.status?.atProvider?.childResources;
    await migrateFromGo(h.client, h.resource, ctx);
    expect(h.client.requests).toEqual([]);
  });

  test('are migrated again if the Go provider ran in between', async () => {
    const h = setup();
    h.resource.metadata.annotations = { 'crossplane.io/external-name': 'i/c/shop' };
    await migrateFromGo(h.client, h.resource, ctx);
    expect([h.childLeft(), h.secretLeft()]).toEqual([undefined, undefined]);
  });

  test('may be gone already, after an interrupted migration', async () => {
    const h = setup();
    await migrateFromGo(h.client, h.resource, ctx);
    const { metadata, status } = parentLeftByGo(owner.name, mapping, 'crossplane-system');
    const again = kymaInstanceMapping({ ...owner, ...metadata, spec, ...(status ? { status } : {}) });
    await expect(migrateFromGo(h.client, again, ctx)).resolves.toBeUndefined();
  });

  test('may stay for finalizers of others, but not for ours', async () => {
    const ours = 'finalizer.managedresource.crossplane.io';
    const h = setup({ finalizers: [ours, 'example.org/backup'] });
    await migrateFromGo(h.client, h.resource, ctx);
    expect(h.childLeft()?.metadata).toMatchObject({
      finalizers: ['example.org/backup'],
      deletionTimestamp: expect.any(String),
    });
  });
});

describe('the mapping of the child', () => {
  test('is recorded before the child is deleted, if the Go provider did not record it', async () => {
    const made = { serviceInstanceID: 'i', primaryID: 'c' };
    const h = setup({ unrecorded: true, made });
    await migrateFromGo(h.client, h.resource, ctx);
    const stored = h.client.peek(kymaInstanceMappings, { name: 'shop' });
    for (const each of [stored, h.resource]) {
      expect(each?.status?.atProvider?.hana).toEqual({ mappingId: made, ready: false });
    }
  });

  test('is not recorded if it never existed', async () => {
    const h = setup({ unrecorded: true });
    const child = h.childLeft();
    await h.client.updateStatus(instanceMappings, { ...child, status: {} } as InstanceMapping);
    await migrateFromGo(h.client, h.resource, ctx);
    expect(h.resource.status?.atProvider?.hana).toBeUndefined();
  });
});

describe('an API server that refuses', () => {
  test('to delete InstanceMappings, as with Crossplane’s default rights, does not stop the migration', async () => {
    const h = setup();
    h.client.onRequest(({ verb, type }) => {
      if (verb === 'delete' && type === instanceMappings) throw apiError(403, 'Forbidden');
    });
    await migrateFromGo(h.client, h.resource, ctx);
    expect(h.childLeft()?.metadata).not.toHaveProperty('finalizers');
    expect(h.secretLeft()).toBeUndefined();
  });

  test('to delete the copy of the credentials causes an error', async () => {
    const h = setup();
    h.client.onRequest(({ verb, type }) => {
      if (verb === 'delete' && type === secrets) throw apiError(403, 'Forbidden');
    });
    await expect(migrateFromGo(h.client, h.resource, ctx)).rejects.toThrow('Forbidden');
    expect(h.childLeft()?.metadata.finalizers).toHaveLength(1);
  });

  test('with a conflict, because the child was updated meanwhile, is retried', async () => {
    const h = setup();
    h.client.onRequest(({ verb }) => {
      if (verb === 'update') throw apiError(409, 'Conflict');
    });
    const error = await migrateFromGo(h.client, h.resource, ctx).catch((thrown: unknown) => thrown);
    expect(isConflict(error)).toBe(true);
    expect(h.resource.status?.atProvider).toHaveProperty('childResources');
  });
});
