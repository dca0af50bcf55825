import { glob, readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { namespaces, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { adminCredentialsRef } from '../../../internal/systems/inventory/instancemapping/admin-credentials.ts';
import {
  type InstanceMapping,
  instanceMappingTypes,
} from '../../../internal/systems/inventory/instancemapping/resource.ts';
import { namespaceManifest, secretManifest } from '../../environment/manifests.ts';
import { forFile, withoutViolations } from '../harness/for-file.ts';
import { managedObject } from '../harness/mappings/managed-object.ts';
import { environmentLabel } from '../harness/mappings/mapping-context.ts';
import { startTestEnvironment } from '../harness/test-environment.ts';

const environment = forFile(startTestEnvironment, withoutViolations);

describe.each([
  { platform: 'kubernetes', secondaryID: 'shop' },
  { platform: 'cloudfoundry', secondaryID: 'space-1' },
  { platform: 'cloudfoundry', secondaryID: null },
  { platform: 'subaccount-api-access', secondaryID: null },
] as const)('a mapping to $platform with the secondaryID $secondaryID', (place) => {
  test.concurrent('is created, recorded by its name, and deleted with its resource', async () => {
    const raw = environment.instanceMapping(place);

    const mapping = await raw.createReady({ forProvider: { isDefault: true } });

    expect(raw.mappings()).toEqual([raw.hana.mapping({ isDefault: true })]);
    expect(mapping.metadata.annotations?.['crossplane.io/external-name']).toBe(raw.externalName);
    expect(mapping.metadata.finalizers).toEqual(['finalizer.managedresource.crossplane.io']);
    expect(mapping.status?.atProvider).toEqual({
      mappingExists: true,
      lastSyncTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect(mapping.status?.conditions?.map(({ type }) => type)).toEqual(['Synced', 'Ready', 'UpToDate']);
    expect((await raw.untilEvent('CreatedExternalResource')).map(({ count }) => count)).toEqual([1]);
    await raw.delete();
    await raw.untilGone();
    expect(raw.mappings()).toEqual([]);
    expect(raw.hana.writes()).toEqual(['create', 'delete']);
  });
});

describe('an external name', () => {
  const annotation = 'crossplane.io/external-name';
  test.concurrent.each([
    { title: 'none', name: () => undefined },
    { title: 'its own', name: (own: string) => own },
    {
      title: 'that of the object, as the Go provider leaves it',
      name: (_: string, object: string) => object,
    },
  ])('of a mapping that exists, $title: it is adopted', async ({ name }) => {
    const raw = environment.instanceMapping();
    raw.hana.addMapping();
    const given = name(raw.externalName, raw.name);
    const mapping = await raw.createReady(
      given === undefined ? {} : { annotations: { [annotation]: given } },
    );
    expect(raw.hana.writes()).toEqual([]);
    expect(mapping.metadata.annotations?.[annotation]).toBe(raw.externalName);
  });

  test.concurrent('written over its own blocks a deletion, until it is corrected', async () => {
    const raw = environment.instanceMapping();
    await raw.createReady();
    const other = `${raw.instanceID}/kubernetes/other/shop`;
    await raw.annotate({ [annotation]: other });
    await raw.delete();
    const { message } = await raw.untilReason('Synced', 'ReconcileError');
    expect(message).toContain(JSON.stringify(other));
    expect(raw.mappings()).toEqual([raw.hana.mapping()]);
    await raw.annotate({ [annotation]: raw.externalName });
    await raw.untilGone();
    expect(raw.mappings()).toEqual([]);
  });
});

const folder = new URL('../../../examples/', import.meta.url);
const files: string[] = [];
for await (const file of glob('{cluster,namespaced}/instancemapping/*.yaml', { cwd: folder }))
  files.push(file);

test.each(files)('%s becomes Ready once its sources exist, and is deleted completely', async (file) => {
  const { management, simulator } = environment;
  const example: InstanceMapping = parse(await readFile(new URL(file, folder), 'utf8'));
  const { serviceInstanceID } = example.spec.forProvider;
  const { name, namespace }: KubeObject['metadata'] = example.metadata;
  const type = namespace === undefined ? instanceMappingTypes.cluster : instanceMappingTypes.namespaced;
  const { key, ...secret } = adminCredentialsRef(example);
  simulator.store.addInstance(serviceInstanceID);
  const { json } = await simulator.credentials(serviceInstanceID);
  await management.apply(namespaces, namespaceManifest(secret.namespace));
  await management.apply(secrets, secretManifest(secret, { [key]: json.credentials ?? '' }));
  const resource = managedObject<InstanceMapping>(management, type, name, namespace);
  try {
    const labels = { [environmentLabel]: environment.selector.split('=')[1] ?? '' };
    await management.apply(type, { ...example, metadata: { ...example.metadata, labels } });
    await resource.untilReady();
    const { platform, primaryID, secondaryID, isDefault = false } = example.spec.forProvider;
    expect(simulator.store.mappings(serviceInstanceID)).toEqual([
      { platform, primaryID, ...(secondaryID === undefined ? {} : { secondaryID }), isDefault },
    ]);
    await resource.delete();
    await resource.untilGone();
    expect(simulator.store.mappings(serviceInstanceID)).toEqual([]);
  } finally {
    await resource.forget();
    await management.delete(secrets, secret);
  }
});

describe('missing credentials', () => {
  const waits = [
    { title: 'no Secret', data: undefined, message: 'not found' },
    {
      title: 'a key without uaa',
      data: { credentials: '{"baseurl":"api.example.org"}' },
      message: 'has no uaa in key credentials',
    },
  ];
  test.concurrent.each(waits)(
    'are waited for, and used once they appear: $title',
    async ({ data, message }) => {
      const raw = environment.instanceMapping();
      if (data) await raw.applySecret(data);
      await raw.create();
      const wanted = `Secret default/${raw.name} ${message} (on management cluster)`;
      await raw.untilReason('Synced', 'Waiting');
      expect(await raw.condition('Synced')).toMatchObject({ status: 'False', message: wanted });
      expect(await raw.condition('Ready')).toMatchObject({
        status: 'False',
        reason: 'Waiting',
        message: wanted,
      });
      expect((await raw.untilEvent('Waiting')).map(({ count }) => count)).toEqual([1]);
      await raw.applySecret();
      await raw.untilReady();
      expect(raw.mappings()).toEqual([raw.hana.mapping()]);
    },
  );
});

test.concurrent('rotated credentials are used at the next reconcile, and the mapping stays Ready meanwhile', async () => {
  const raw = environment.instanceMapping();
  await raw.createReady();
  const rotated = await environment.simulator.rotateCredentials(raw.instanceID, { revokeOld: true });
  await raw.reconcile();
  expect(await raw.condition('Synced')).toMatchObject({ reason: 'ReconcileError' });
  expect(await raw.condition('Ready')).toMatchObject({ status: 'True' });
  await raw.applySecret(rotated.json);
  await raw.reconcile();
  await raw.untilReady();
  expect(raw.hana.writes()).toEqual(['create']);
});

describe('a deletion without credentials', () => {
  test.concurrent('waits for them, names how to remove the finalizer, then continues', async () => {
    const raw = environment.instanceMapping();
    await raw.createReady();
    await raw.removeSecret();
    await raw.delete();
    const { message } = await raw.untilReason('Synced', 'Waiting');
    expect(message).toContain(`Secret default/${raw.name} not found`);
    expect(message).toContain('deletionPolicy to Orphan');
    expect(raw.mappings()).toEqual([raw.hana.mapping()]);
    await raw.applySecret();
    await raw.untilGone();
    expect(raw.mappings()).toEqual([]);
  });
});
