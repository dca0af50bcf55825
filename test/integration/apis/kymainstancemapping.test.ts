import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type KymaInstanceMappingParameters,
  type KymaInstanceMappingStatus,
  kymaInstanceMapping,
  kymaInstanceMappings,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { type KindClient, kindClient, paused, refusal } from './kind-client.ts';

let mappings: KindClient;
const created: string[] = [];

beforeAll(async () => {
  const { management } = await controlPlanes();
  mappings = kindClient(management, kymaInstanceMappings);
});

afterEach(async () => {
  await Promise.all(created.splice(0).map((name) => mappings.delete(name)));
});

const least: KymaInstanceMappingParameters = {
  serviceInstanceRef: { name: 'db', namespace: 'shop' },
  adminBindingRef: { name: 'admin', namespace: 'shop' },
};

const mapped: KymaInstanceMappingStatus = {
  atProvider: {
    hana: { mappingId: { serviceInstanceID: 'i', primaryID: 'c', secondaryID: 'shop' }, ready: true },
  },
};

function mapping(forProvider: KymaInstanceMappingParameters = least) {
  const name = uniqueName('kim');
  created.push(name);
  return kymaInstanceMapping({ name, annotations: paused, spec: { forProvider } });
}

async function stored(forProvider?: KymaInstanceMappingParameters, status?: KymaInstanceMappingStatus) {
  const object = mapping(forProvider);
  expect(await mappings.create(object)).toMatchObject({ status: 201 });
  if (status !== undefined) {
    expect(await mappings.patchStatus(object.metadata.name, status)).toMatchObject({ status: 200 });
  }
  return object.metadata.name;
}

describe('targetNamespace', () => {
  const set = { ...least, targetNamespace: 'shop' };
  // GitOps tools show this text. The name is what has to change in Git: the tool then creates the one and deletes the other.
  const remedy = 'for another namespace create a KymaInstanceMapping with another name';
  const immutable = refusal('spec.forProvider.targetNamespace', 'targetNamespace is immutable', remedy);
  const fixed = refusal(
    'spec.forProvider.targetNamespace',
    'targetNamespace can be neither added nor removed once the mapping exists',
    remedy,
  );
  const accepted = { status: 200 };
  const unmapped: KymaInstanceMappingStatus = {
    atProvider: { kyma: { clusterID: 'c' }, hana: { ready: false } },
  };

  test.each([
    { reason: 'immutable from the start', from: 'shop', to: 'other', status: undefined, answer: immutable },
    { reason: 'immutable later on', from: 'shop', to: 'other', status: mapped, answer: immutable },
    {
      reason: 'nothing is mapped that could stay',
      from: null,
      to: 'shop',
      status: undefined,
      answer: accepted,
    },
    { reason: 'the same the other way', from: 'shop', to: null, status: undefined, answer: accepted },
    { reason: 'a status is not yet a mapping', from: null, to: 'shop', status: unmapped, answer: accepted },
    { reason: 'nor is it the other way', from: 'shop', to: null, status: unmapped, answer: accepted },
    { reason: 'the default namespace is mapped', from: null, to: 'other', status: mapped, answer: fixed },
    { reason: 'presence counts, not the value', from: null, to: 'shop', status: mapped, answer: fixed },
    { reason: 'the default may be another', from: 'shop', to: null, status: mapped, answer: fixed },
    { reason: 'the same again is no change', from: 'shop', to: 'shop', status: mapped, answer: accepted },
  ])('from $from to $to: $reason', async ({ from, to, status, answer }) => {
    const name = await stored(from === null ? least : { ...least, targetNamespace: from }, status);
    expect(await mappings.patch(name, { spec: { forProvider: { targetNamespace: to } } })).toMatchObject(
      answer,
    );
  });

  test('does not block other changes of a mapped resource', async () => {
    const name = await stored(least, mapped);
    expect(await mappings.patch(name, { spec: { forProvider: { isDefault: true } } })).toMatchObject(
      accepted,
    );
    expect(await mappings.patch(name, { metadata: { finalizers: ['example.org/a'] } })).toMatchObject(
      accepted,
    );
    expect(await mappings.patch(name, { metadata: { finalizers: null } })).toMatchObject(accepted);
  });

  test.each([
    { reason: 'the mapping appears', before: least, first: undefined, second: mapped },
    {
      reason: 'the mapping is created for the given namespace',
      before: set,
      first: undefined,
      second: mapped,
    },
    { reason: 'the mapping goes', before: least, first: mapped, second: { atProvider: { hana: null } } },
    { reason: 'the whole status goes', before: set, first: mapped, second: null },
  ])('never blocks a write of the status: $reason', async ({ before, first, second }) => {
    const name = await stored(before, first);
    expect(await mappings.patchStatus(name, second)).toMatchObject(accepted);
  });
});
