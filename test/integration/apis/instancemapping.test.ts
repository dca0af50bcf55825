import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type InstanceMappingParameters,
  instanceMapping,
  instanceMappings,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { type KindClient, kindClient, paused, refusal } from './kind-client.ts';

let mappings: KindClient;
const created: string[] = [];

beforeAll(async () => {
  const { management } = await controlPlanes();
  mappings = kindClient(management, instanceMappings);
});

afterEach(async () => {
  await Promise.all(created.splice(0).map((name) => mappings.delete(name)));
});

const least: InstanceMappingParameters = {
  serviceInstanceID: 'i',
  platform: 'kubernetes',
  primaryID: 'c',
  adminCredentialsSecretRef: { name: 'admin', namespace: 'default', key: 'credentials' },
};

function mapping(forProvider: InstanceMappingParameters = least) {
  const name = uniqueName('im');
  created.push(name);
  return instanceMapping({ name, annotations: paused, spec: { forProvider } });
}

async function stored(forProvider?: InstanceMappingParameters): Promise<string> {
  const object = mapping(forProvider);
  expect(await mappings.create(object)).toMatchObject({ status: 201 });
  return object.metadata.name;
}

describe('what the mapping is known by cannot change', () => {
  const remedy = 'create an InstanceMapping with another name';

  test.each([
    { field: 'serviceInstanceID', to: 'other', reason: 'another instance' },
    { field: 'platform', to: 'cloudfoundry', reason: 'another platform' },
    { field: 'primaryID', to: 'other', reason: 'another cluster' },
    { field: 'secondaryID', to: 'other', reason: 'another namespace' },
    { field: 'secondaryID', to: null, reason: 'all of the cluster instead of a namespace' },
  ])('$field to $to: $reason', async ({ field, to }) => {
    const name = await stored({ ...least, secondaryID: 'shop' });
    expect(await mappings.patch(name, { spec: { forProvider: { [field]: to } } })).toMatchObject(
      refusal(`spec.forProvider.${field}`, `${field} is immutable`, remedy),
    );
  });

  test('secondaryID from nothing to something: a namespace instead of all of the cluster', async () => {
    const name = await stored();
    expect(await mappings.patch(name, { spec: { forProvider: { secondaryID: 'shop' } } })).toMatchObject(
      refusal('spec.forProvider.secondaryID', 'secondaryID is immutable', remedy),
    );
  });

  test.each([
    { reason: 'the default can move', patch: { isDefault: true } },
    { reason: 'credentials can move', patch: { adminCredentialsSecretRef: { name: 'new' } } },
    { reason: 'the same again is no change', patch: { secondaryID: 'shop', platform: 'kubernetes' } },
  ])('everything else can change: $reason', async ({ patch }) => {
    const name = await stored({ ...least, secondaryID: 'shop' });
    expect(await mappings.patch(name, { spec: { forProvider: patch } })).toMatchObject({ status: 200 });
  });
});
