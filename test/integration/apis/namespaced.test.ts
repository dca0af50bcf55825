import { beforeAll, describe, expect, test } from '@jest/globals';
import { apiVersionOf, type ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import { hanaConfigKinds } from '../../../internal/systems/inventory/config/provider-configs.ts';
import { instanceMappingTypes } from '../../../internal/systems/inventory/instancemapping/resource.ts';
import { kymaInstanceMappingTypes } from '../../../internal/systems/inventory/kymainstancemapping/resource.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';
import { type KindClient, kindClient, paused, refusal } from './kind-client.ts';

// What differs between the scopes; what is the same is tested for the cluster-scoped kinds.

let clientOf: (type: ResourceType, namespace?: string) => KindClient;
beforeAll(async () => {
  const { management } = await controlPlanes();
  clientOf = (type, namespace = type.namespaced ? 'default' : undefined) =>
    kindClient(management, type, namespace);
});

const kyma = { serviceInstanceRef: { name: 'db' }, adminBindingRef: { name: 'admin' } };
const raw = {
  serviceInstanceID: 'i',
  platform: 'kubernetes',
  primaryID: 'c',
  adminCredentialsSecretRef: { name: 'admin', key: 'credentials' },
};

interface Parts {
  readonly forProvider?: object;
  readonly [field: string]: unknown;
}

/** A dry run goes through defaulting and every validation, and leaves nothing. */
function create(type: ResourceType, spec: Parts, metadata: object = {}) {
  const object = {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { name: uniqueName('twin'), annotations: paused, ...metadata },
    spec,
  };
  return clientOf(type).create(object, 'fieldValidation=Strict&dryRun=All');
}

const strict = (field: string) => ({
  status: 400,
  body: { message: expect.stringContaining(`unknown field "${field}"`) },
});

describe('a reference to a Secret', () => {
  const there = { name: 'a', namespace: 'default' };

  test('has no namespace where the resource has one', async () => {
    const kymaConnectionRef = { secretRef: there };
    expect(
      await create(kymaInstanceMappingTypes.namespaced, { forProvider: { ...kyma, kymaConnectionRef } }),
    ).toMatchObject(strict('spec.forProvider.kymaConnectionRef.secretRef.namespace'));
    const adminCredentialsSecretRef = { ...there, key: 'credentials' };
    expect(
      await create(instanceMappingTypes.namespaced, { forProvider: { ...raw, adminCredentialsSecretRef } }),
    ).toMatchObject(strict('spec.forProvider.adminCredentialsSecretRef.namespace'));
    const credentials = { source: 'HanaConnectionSecret', connectionSecretRef: there };
    expect(await create(hanaConfigKinds.namespaced.config, { credentials })).toMatchObject(
      strict('spec.credentials.connectionSecretRef.namespace'),
    );
  });

  test('names one where an admin wrote it: in a ClusterProviderConfig', async () => {
    const type = hanaConfigKinds.namespaced.clusterConfig;
    const source = 'HanaConnectionSecret';
    expect(await create(type, { credentials: { source, connectionSecretRef: there } })).toMatchObject({
      status: 201,
    });
    expect(await create(type, { credentials: { source, connectionSecretRef: { name: 'a' } } })).toMatchObject(
      refusal('connectionSecretRef.namespace: Required value'),
    );
  });
});

test('every configuration has a name that fits into a label', async () => {
  const longest = uniqueName('pc').padEnd(63, 'x');
  const credentials = { source: 'None' };
  const { cluster, namespaced } = hanaConfigKinds;
  for (const type of [cluster.config, namespaced.config, namespaced.clusterConfig]) {
    expect(await create(type, { credentials }, { name: longest })).toMatchObject({ status: 201 });
    expect(await create(type, { credentials }, { name: `${longest}x` })).toMatchObject(
      refusal('at most 63 characters'),
    );
  }
});
