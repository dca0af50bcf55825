import { describe, expect, test } from '@jest/globals';
import { kymaInstanceMapping } from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { ProviderError } from '../../../../framework/base/errors/errors.ts';
import { KubeApiError } from '../../../../framework/kube/errors/errors.ts';
import type { KubeObject } from '../../../../framework/kube/object/object.ts';
import { inputCluster } from '../../input/input-cluster.fixture.ts';
import type { MappingIdentity } from '../../mapping/mapping-identity.ts';
import { isInstanceGone } from './instance-gone.ts';
import type { KymaClusters, KymaClusterUse } from './kyma-cluster.ts';

const identity: MappingIdentity = {
  serviceInstanceID: 'i',
  platform: 'kubernetes',
  primaryID: 'c',
  secondaryID: 'shop',
};
const configMap = (clusterID: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cluster-id', namespace: 'shop' },
    data: { CLUSTER_ID: clusterID },
  }) as KubeObject;
const instance: KubeObject = {
  apiVersion: 'services.cloud.sap.com/v1',
  kind: 'ServiceInstance',
  metadata: { name: 'hana', namespace: 'shop' },
};
const unknownKind = new KubeApiError(
  { verb: 'get', object: 'ServiceInstance shop/hana', clusterName: 'test cluster' },
  { httpStatus: 404 },
);

type ForProvider = Parameters<typeof kymaInstanceMapping>[0]['spec']['forProvider'];
type KymaStatus = { serviceInstanceID?: string; serviceInstanceName?: string };

const mappingWith = (kyma: KymaStatus, over: Pick<ForProvider, 'kymaConnectionRef'> = {}) =>
  kymaInstanceMapping({
    name: 'shop',
    spec: {
      forProvider: {
        serviceInstanceRef: { name: 'hana', namespace: 'shop' },
        adminBindingRef: { name: 'hana-admin', namespace: 'shop' },
        clusterIdConfigMapRef: { name: 'cluster-id', namespace: 'shop' },
        ...over,
      },
    },
    status: { atProvider: { kyma } },
  });
const fromHana: KymaStatus = { serviceInstanceID: 'i', serviceInstanceName: 'hana' };

function ask(
  objects: readonly KubeObject[],
  failures: Record<string, Error> = {},
  kyma: KymaStatus = {},
): Promise<boolean> {
  const resource = mappingWith({ ...fromHana, ...kyma });
  const clusters = { own: inputCluster(objects, failures) } as KymaClusters;
  return isInstanceGone(clusters, resource, identity, new AbortController().signal);
}

test('an instance is gone if its ServiceInstance is gone on the cluster of the mapping', async () => {
  expect(await ask([configMap('c')])).toBe(true);
});

describe('an instance is not known to be gone with', () => {
  test.each([
    { reason: 'an existing ServiceInstance', objects: [configMap('c'), instance] },
    { reason: 'another cluster', objects: [configMap('c-2')] },
    { reason: 'a cluster without cluster ID', objects: [] },
    {
      reason: 'a cluster without the BTP service operator',
      objects: [configMap('c')],
      failures: { 'ServiceInstance shop/hana': unknownKind },
    },
    {
      reason: 'a ServiceInstance that cannot be read',
      objects: [configMap('c')],
      failures: { 'ServiceInstance shop/hana': new ProviderError('transient', 'boom') },
    },
    { reason: 'another ServiceInstance', objects: [configMap('c')], kyma: { serviceInstanceName: 'other' } },
    {
      reason: 'a ServiceInstance that had another instance ID',
      objects: [configMap('c')],
      kyma: { serviceInstanceID: 'i-2' },
    },
  ])('$reason', async ({ objects, failures, kyma }) => {
    expect(await ask(objects, failures, kyma)).toBe(false);
  });
});

test.each([
  { title: 'no status', status: {} },
  { title: 'a status of conditions alone', status: { status: { conditions: [] } } },
  { title: 'a status without input objects', status: { status: { atProvider: {} } } },
])('with $title nothing is asked, since the origin of the instance ID is unknown', async ({ status }) => {
  const clusters = {} as KymaClusters;
  const { status: _, ...withoutStatus } = mappingWith(fromHana);
  const resource = { ...withoutStatus, ...status };
  expect(await isInstanceGone(clusters, resource, identity, new AbortController().signal)).toBe(false);
});

describe('a remote cluster is released', () => {
  const resource = mappingWith(fromHana, {
    kymaConnectionRef: { secretRef: { name: 'kyma', namespace: 'shop' } },
  });
  function remoteCluster(...objects: KubeObject[]) {
    let released = 0;
    const use: KymaClusterUse = {
      cluster: inputCluster(objects),
      report: () => undefined,
      release: () => {
        released++;
      },
    };
    const clusters = { remote: { acquire: async () => use } } as unknown as KymaClusters;
    return { clusters, released: () => released };
  }

  test('after the reads', async () => {
    const { clusters, released } = remoteCluster(configMap('c'));
    expect(await isInstanceGone(clusters, resource, identity, new AbortController().signal)).toBe(true);
    expect(released()).toBe(1);
  });

  test('when the reconcile is aborted', async () => {
    const { clusters, released } = remoteCluster(configMap('c'));
    const asked = isInstanceGone(clusters, resource, identity, AbortSignal.abort(new Error('shutdown')));
    await expect(asked).rejects.toThrow('shutdown');
    expect(released()).toBe(1);
  });
});
