import { expect, test } from '@jest/globals';
import { kymaInstanceMapping } from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { ClusterLease, ClusterPool } from '../../../../kube/cluster/cluster-pool.ts';
import type { ClusterRef } from '../../../../kube/cluster/kubeconfig-secret.ts';
import { inputCluster } from '../../input/input-cluster.fixture.ts';
import { acquireKymaCluster } from './kyma-cluster.ts';

const own = inputCluster([]);
const lease = { ...inputCluster([]), secretTarget: { description: 'x' } } as ClusterLease;
const { signal } = new AbortController();

async function acquire(kymaConnectionRef?: { secretRef: { name: string; namespace: string } }) {
  const acquired: ClusterRef[] = [];
  const remote: ClusterPool = {
    acquire: async (ref) => {
      acquired.push(ref);
      return lease;
    },
    close: () => undefined,
  };
  const forProvider = {
    serviceInstanceRef: { name: 'db', namespace: 'shop' },
    adminBindingRef: { name: 'admin', namespace: 'shop' },
    ...(kymaConnectionRef === undefined ? {} : { kymaConnectionRef }),
  };
  const resource = kymaInstanceMapping({ name: 'a', spec: { forProvider } });
  return { cluster: await acquireKymaCluster({ own, remote }, resource, signal), acquired };
}

test('without kymaConnectionRef the input objects are on the management cluster', async () => {
  const { cluster, acquired } = await acquire();
  expect(cluster.client).toBe(own.client);
  expect(cluster.secretTarget).toBeUndefined();
  expect(acquired).toEqual([]);
  // It is not of the pool: nothing is counted or closed.
  cluster.report('failed');
  cluster.release();
});

test('with kymaConnectionRef they are on the cluster of its kubeconfig', async () => {
  const secret = { name: 'kyma', namespace: 'admins' };
  const { cluster, acquired } = await acquire({ secretRef: secret });
  expect(cluster).toBe(lease);
  expect(acquired).toEqual([{ secret, kubeconfigKey: 'kubeconfig' }]);
});
