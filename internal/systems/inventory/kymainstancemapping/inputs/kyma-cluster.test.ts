import { expect, test } from '@jest/globals';
import { kymaInstanceMapping } from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { ClusterPool, ClusterRef, ClusterUse } from '../../../../framework/kube/cluster/cluster-pool.ts';
import { inputCluster } from '../../input/input-cluster.fixture.ts';
import { acquireKymaCluster } from './kyma-cluster.ts';

const own = inputCluster([]);
const remoteUse = { cluster: inputCluster([]), secretTarget: { description: 'x' } } as ClusterUse;
const { signal } = new AbortController();

async function acquire(kymaConnectionRef?: { secretRef: { name: string; namespace: string } }) {
  const acquired: ClusterRef[] = [];
  const remote: ClusterPool = {
    learn: () => undefined,
    acquire: async (ref) => {
      acquired.push(ref);
      return remoteUse;
    },
    close: () => undefined,
  };
  const forProvider = {
    serviceInstanceRef: { name: 'db', namespace: 'shop' },
    adminBindingRef: { name: 'admin', namespace: 'shop' },
    ...(kymaConnectionRef === undefined ? {} : { kymaConnectionRef }),
  };
  const resource = kymaInstanceMapping({ name: 'a', spec: { forProvider } });
  return { use: await acquireKymaCluster({ own, remote }, resource, signal), acquired };
}

test('without kymaConnectionRef the input objects are on the management cluster', async () => {
  const { use, acquired } = await acquire();
  expect(use.cluster).toBe(own);
  expect(use.secretTarget).toBeUndefined();
  expect(acquired).toEqual([]);
  // It is not of the pool: nothing is counted or closed.
  use.report('failed');
  use.release();
});

test('with kymaConnectionRef they are on the cluster of its kubeconfig', async () => {
  const secret = { name: 'kyma', namespace: 'admins' };
  const { use, acquired } = await acquire({ secretRef: secret });
  expect(use).toBe(remoteUse);
  expect(acquired).toEqual([{ secret, kubeconfigKey: 'kubeconfig' }]);
});
