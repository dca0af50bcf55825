import { describe, expect, test } from '@jest/globals';
import { kymaInstanceMappingTypes } from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { serviceBindings } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { apiError, createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import type { KubeObject, ObjectMeta } from '../../../framework/kube/object/object.ts';
import { type ResourceType, secrets } from '../../../framework/kube/object/resource-type.ts';
import { clusterIDName } from '../cluster-id.ts';
import { finalizer, preventDeletionAnnotation } from '../metadata.ts';
import { addWatcher, credentialUse } from '../watched-secrets/watch-marks.ts';
import { type CleanUpOptions, cleanUp } from './clean-up.ts';

const types: readonly ResourceType[] = [serviceBindings, serviceInstances];

function setup() {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const lines: string[] = [];
  const seeded: { type: ResourceType; key: { namespace: string; name: string } }[] = [];
  const exists = ({ type, key }: (typeof seeded)[number]) => client.peek(type, key) !== undefined;
  /** Objects of an operator: with its finalizer. */
  const seed = (type: ResourceType, namespace: string, name: string, more: Partial<ObjectMeta> = {}) => {
    const key = { namespace, name };
    seeded.push({ type, key });
    const conditions = [{ type: 'Succeeded', message: 'the broker is\nbusy' }];
    client.seed(type, {
      apiVersion: 'services.cloud.sap.com/v1',
      kind: type.kind,
      metadata: { ...key, finalizers: ['services.cloud.sap.com/sap-btp-finalizer'], ...more },
      status: { conditions },
    } as KubeObject);
  };
  return {
    client,
    lines,
    seed,
    left: () => seeded.filter(exists).map(({ key }) => `${key.namespace}/${key.name}`),
    deletions: () =>
      client.requests.filter(({ verb }) => verb === 'delete').map(({ key }) => key?.name ?? ''),
    /** With an operator that removes the finalizers of deleted objects, unless it is stopped. */
    run: async (options: Partial<CleanUpOptions> = {}, { operator = true } = {}) => {
      let left: readonly string[] | undefined;
      const report = (line: string) => lines.push(line);
      const running = cleanUp({ client, clock, timeoutMs: 60_000, report, ...options });
      running.then(
        (lines) => {
          left = lines;
        },
        () => {
          left = [];
        },
      );
      for (let second = 0; second < 100 && left === undefined; second++) {
        await clock.advance(1000);
        for (const { type, key } of operator ? seeded : []) {
          const object = client.peek(type, key);
          if (object?.metadata.deletionTimestamp === undefined) continue;
          await client.mergePatch(type, key, { metadata: { finalizers: [] } });
        }
      }
      return running;
    },
  };
}

test('bindings are gone before the first instance is deleted, and the record of the cluster ID last', async () => {
  const { client, seed, run, left, deletions, lines } = setup();
  seed(serviceInstances, 'shop', 'instance');
  seed(serviceBindings, 'shop', 'binding');
  seed(serviceBindings, 'office', 'other');
  client.seed(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'release', name: clusterIDName },
  });
  client.onRequest(({ verb, key }) => {
    if (verb === 'delete' && key?.name === 'instance') expect(left()).toEqual(['shop/instance']);
  });
  expect(await run({ releaseNamespace: 'release' })).toEqual([]);
  expect(left()).toEqual([]);
  expect(deletions()).toHaveLength(4);
  expect(deletions().at(-1)).toBe(clusterIDName);
  expect(client.peek(secrets, { namespace: 'release', name: clusterIDName })).toBeUndefined();
  expect(lines).toEqual([
    '2 ServiceBindings to delete',
    'no ServiceBinding is left',
    '1 ServiceInstances to delete',
    'no ServiceInstance is left',
  ]);
});

test('Secrets with credentials are released when no instance is left', async () => {
  const { client, seed, run } = setup();
  seed(serviceInstances, 'shop', 'instance');
  const names = {
    own: { namespace: 'shop', name: 'sap-btp-service-operator' },
    certificate: { namespace: 'shop', name: 'sap-btp-service-operator-tls' },
    managed: { namespace: 'management', name: 'any' },
    other: { namespace: 'other', name: 'parameters' },
  };
  const team = { finalizers: ['team/keep'], labels: { team: 'a' } };
  const plain = (key: { namespace: string; name: string }) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...key, ...team },
  });
  for (const key of Object.values(names)) {
    const secret = client.seed(secrets, plain(key));
    const patch = addWatcher(secret, key === names.other ? 'uid-1' : credentialUse);
    await client.mergePatch(secrets, key, patch);
  }
  client.onRequest(({ verb, key }) => {
    if (verb === 'patch' && key?.name.startsWith('sap-btp'))
      expect(client.peek(serviceInstances, { namespace: 'shop', name: 'instance' })).toBeUndefined();
  });
  expect(await run({ releaseNamespace: 'management', managementNamespace: 'management' })).toEqual([]);
  const marks = Object.values(names).map((key) => {
    const { finalizers = [], labels, annotations = {} } = client.peek(secrets, key)?.metadata ?? {};
    return { finalizers, labels, annotations };
  });
  const released = { ...team, annotations: {} };
  expect(marks.slice(0, 3)).toEqual([released, released, released]);
  expect(marks[3]?.finalizers).toEqual(['team/keep', finalizer]);
});

test('a Secret that changes while it is released is released', async () => {
  const { client, run } = setup();
  const key = { namespace: 'shop', name: 'sap-btp-service-operator' };
  const secret = client.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: key });
  await client.mergePatch(secrets, key, addWatcher(secret, credentialUse));
  const stop = client.onRequest(async ({ verb }) => {
    if (verb !== 'patch') return;
    stop();
    await client.mergePatch(secrets, key, { metadata: { labels: { team: 'a' } } });
  });
  expect(await run()).toEqual([]);
  const { finalizers, labels } = client.peek(secrets, key)?.metadata ?? {};
  expect({ finalizers, labels }).toEqual({ labels: { team: 'a' } });
});

test('other namespaces are not touched', async () => {
  const { seed, run, left } = setup();
  for (const type of types) for (const namespace of ['shop', 'other']) seed(type, namespace, 'x');
  expect(await run({ namespaces: ['shop', 'release'] })).toEqual([]);
  expect(left()).toEqual(['other/x', 'other/x']);
});

test('without an operator it ends in time, with what is left and why; no instance loses its turn', async () => {
  const { seed, run, deletions } = setup();
  seed(serviceBindings, 'shop', 'binding');
  seed(serviceInstances, 'shop', 'instance');
  expect(await run({}, { operator: false })).toEqual(['ServiceBinding shop/binding: the broker is busy']);
  // Requested once, and no instance before its bindings are gone.
  expect(deletions()).toEqual(['binding']);
});

test('nothing is deleted beside a protected instance', async () => {
  const { seed, run, deletions, lines } = setup();
  seed(serviceBindings, 'shop', 'binding');
  seed(serviceInstances, 'shop', 'instance', { annotations: { [preventDeletionAnnotation]: 'True' } });
  expect(await run()).toEqual([
    `ServiceInstance shop/instance is annotated with ${preventDeletionAnnotation}`,
  ]);
  expect(deletions()).toEqual([]);
  expect(lines).toEqual(['nothing was deleted']);
});

test('a deletion that is refused for good ends it at once, one that may succeed later is repeated', async () => {
  const { client, seed, run, deletions } = setup();
  seed(serviceInstances, 'shop', 'webhook');
  seed(serviceInstances, 'shop', 'denied');
  client.onRequest(({ verb, key }) => {
    if (verb !== 'delete') return;
    if (key?.name === 'denied') throw apiError(403, 'Forbidden', 'denied by policy');
    if (deletions().filter((name) => name === 'webhook').length < 3) {
      throw apiError(500, 'InternalError', 'failed calling webhook');
    }
  });
  expect(await run()).toEqual([expect.stringContaining('denied by policy')]);
  expect(deletions().filter((name) => name === 'webhook')).toHaveLength(3);
});

test('a cluster without the kinds is clean', async () => {
  const { client, run } = setup();
  client.onRequest(({ verb, type }) => {
    if (verb === 'list' && type.group !== '') throw apiError(404, 'NotFound', 'page not found');
  });
  expect(await run({ releaseNamespace: 'release' })).toEqual([]);
});

test('objects that cannot be listed are an error', async () => {
  const { client, run } = setup();
  client.onRequest(({ verb }) => {
    if (verb === 'list') throw apiError(403, 'Forbidden', 'no right');
  });
  await expect(run()).rejects.toThrow('no right');
});

describe('objects that a mapping uses', () => {
  const mapping = (namespace: string | undefined, more: object = {}) => ({
    apiVersion: 'inventory.hana.orchestrate.cloud.sap/v1alpha1',
    kind: 'KymaInstanceMapping',
    metadata: { name: 'hana', ...(namespace === undefined ? {} : { namespace }) },
    spec: {
      forProvider: {
        serviceInstanceRef: { name: 'instance', ...(namespace === undefined ? { namespace: 'shop' } : {}) },
        adminBindingRef: { name: 'none', namespace: 'shop' },
        ...more,
      },
    },
  });
  test('a binding without a namespace is in that of the mapping, whatever that of the instance', async () => {
    const { client, seed, run } = setup();
    seed(serviceBindings, 'shop', 'none');
    client.seed<KubeObject>(
      kymaInstanceMappingTypes.namespaced,
      mapping('shop', {
        serviceInstanceRef: { name: 'instance', namespace: 'other' },
        adminBindingRef: { name: 'none' },
      }),
    );
    expect(await run()).toEqual([
      expect.stringContaining('KymaInstanceMapping shop/hana uses ServiceBinding shop/none'),
    ]);
  });

  const used = (key: string) =>
    `KymaInstanceMapping ${key} uses ServiceInstance shop/instance: delete the mapping first, or use --delete-used (with Helm: manager.deleteUsed)`;

  test.each([
    ['cluster', undefined, 'hana'],
    ['namespaced', 'shop', 'shop/hana'],
  ] as const)(
    'are listed, and nothing is deleted, unless it is asked for: %s',
    async (scope, namespace, key) => {
      const { client, seed, run, left, lines } = setup();
      seed(serviceInstances, 'shop', 'instance');
      client.seed<KubeObject>(kymaInstanceMappingTypes[scope], mapping(namespace));
      expect(await run()).toEqual([used(key)]);
      expect(left()).toEqual(['shop/instance']);
      expect(lines).toEqual(['nothing was deleted']);
      expect(await run({ deleteUsed: true })).toEqual([]);
      expect(left()).toEqual([]);
    },
  );

  test('are on this cluster: others do not count, and neither do mappings of other objects', async () => {
    const { client, seed, run } = setup();
    seed(serviceInstances, 'shop', 'instance');
    const kymaConnectionRef = { secretRef: { name: 'remote', namespace: 'shop' } };
    client.seed<KubeObject>(kymaInstanceMappingTypes.cluster, mapping(undefined, { kymaConnectionRef }));
    client.seed<KubeObject>(kymaInstanceMappingTypes.namespaced, mapping('office'));
    expect(await run()).toEqual([]);
  });

  test('are deleted without the right to list mappings, which is reported', async () => {
    const { client, seed, run, lines } = setup();
    seed(serviceInstances, 'shop', 'instance');
    client.onRequest(({ verb, type }) => {
      if (verb === 'list' && type.plural === 'kymainstancemappings') throw apiError(403, 'Forbidden', 'no');
    });
    expect(await run()).toEqual([]);
    expect(lines[0]).toMatch(/^not checked whether mappings use the objects: /);
  });
});
