/** Health of KymaClusters, reconciled on an API server in memory with a fake mothership. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { KymaCluster } from '../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { ProviderError } from '../../internal/framework/base/errors/errors.ts';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import {
  createKymaClusterHarness,
  readyKymaCluster,
} from '../../internal/systems/reconciler/kyma-cluster/kyma-cluster.fixture.ts';
import { reconcilerCrds } from '../environment/install-crds.ts';
import { type ArgoHealthChecks, argoHealthChecks } from './argo-health.ts';
import { type FluxHealthChecks, fluxHealthChecks } from './flux-health.ts';
import { kstatus } from './kstatus.ts';
import { KYMA_CLUSTER_PHASES, type KymaClusterPhase, kymaClusterVerdicts } from './kyma-cluster-phases.ts';

let argo: ArgoHealthChecks;
let flux: FluxHealthChecks;
beforeAll(async () => {
  argo = await argoHealthChecks();
  flux = await fluxHealthChecks();
});

interface Example {
  /** Takes a KymaCluster into the phase. */
  readonly reach: () => Promise<KymaCluster | undefined>;
  /** What Argo CD shows. */
  readonly message: string;
}

const failures = [{ component: 'istio', reason: 'no image' }];
const waitsForSecret = { kubeconfig: null } as const;

const examples: Readonly<Record<KymaClusterPhase, Example>> = {
  'not observed': {
    reach: async () => createKymaClusterHarness().stored(),
    message: 'Not observed by the provider yet',
  },
  'waiting for its kubeconfig': {
    reach: async () => {
      const { reconcile, stored } = createKymaClusterHarness(waitsForSecret);
      await reconcile();
      return stored();
    },
    message: 'Waiting: Secret team/kubeconfig not found',
  },
  'components being installed': {
    reach: async () => {
      const { reconcile, stored, mothership } = createKymaClusterHarness();
      await reconcile();
      mothership.becomes('r-1', 'reconciling');
      await reconcile();
      return stored();
    },
    message: 'Creating: the cluster is reconciling',
  },
  ready: { reach: async () => (await readyKymaCluster()).stored(), message: 'Ready' },
  'change registered': {
    reach: async () => {
      const { reconcile, stored, patch } = await readyKymaCluster();
      await patch({ spec: { forProvider: { version: '2.21.0' } } });
      await reconcile();
      return stored();
    },
    message: 'Being changed: differs in version',
  },
  'components fail': {
    reach: async () => {
      const { reconcile, stored, mothership } = await readyKymaCluster();
      mothership.becomes('r-1', 'reconcile_error_retryable', failures);
      await reconcile();
      return stored();
    },
    message: 'Unavailable: the cluster is reconcile_error_retryable: istio: no image',
  },
  disabled: {
    reach: async () => {
      const { reconcile, stored, mothership } = await readyKymaCluster();
      mothership.becomes('r-1', 'reconcile_disabled');
      await reconcile();
      return stored();
    },
    message: 'Unavailable: the cluster is reconcile_disabled',
  },
  'ready, mothership not reached': {
    reach: async () => {
      const { reconcile, stored, mothership } = await readyKymaCluster();
      mothership.failWith(new ProviderError('transient', 'ECONNREFUSED'));
      await reconcile();
      return stored();
    },
    message: 'ReconcileError: observe failed: ECONNREFUSED',
  },
  'being deleted': {
    reach: async () => {
      const { reconcile, stored, delete: remove } = await readyKymaCluster();
      await remove();
      await reconcile();
      return stored();
    },
    message: 'Being deleted',
  },
  'deletion failed': {
    reach: async () => {
      const { reconcile, stored, mothership, delete: remove } = await readyKymaCluster();
      await remove();
      await reconcile();
      mothership.failWith(new ProviderError('transient', 'ECONNREFUSED'));
      await reconcile();
      return stored();
    },
    message: 'Being deleted: observe failed: ECONNREFUSED',
  },
};

test.each(KYMA_CLUSTER_PHASES)(
  'a KymaCluster that is %s: Argo CD, Flux and kstatus have the expected result',
  async (phase) => {
    const object = (await examples[phase].reach()) as KymaCluster;
    const health = await argo.healthOf(object);
    const verdicts = { argo: health?.status, flux: flux.statusOf(object), kstatus: kstatus(object) };
    expect(verdicts).toEqual(kymaClusterVerdicts[phase]);
    expect(health?.message).toBe(examples[phase].message);
  },
);

describe('the kinds of the module reconciler', () => {
  test('each but usages has a health check, and KymaClusters have one in Flux', async () => {
    const kinds = (await reconcilerCrds()).map(({ spec }) => `${spec.group}_${spec.names.kind}`);
    const checked = kinds.filter((kind) => !kind.endsWith('_ProviderConfigUsage'));
    expect(checked).toHaveLength(5);
    expect(argo.kinds).toEqual(expect.arrayContaining(checked));
    const managed = kinds.filter((kind) => kind.endsWith('_KymaCluster'));
    const ofFlux = flux.kinds.map((kind) => kind.replace(/\/.*\//, '_'));
    expect(ofFlux).toEqual(expect.arrayContaining(managed));
  });

  test('a provider configuration is healthy, and shows its users', async () => {
    const config = {
      apiVersion: 'reconciler.m.kyma-project.io/v1alpha1',
      kind: 'ClusterProviderConfig',
      metadata: { name: 'default' },
      status: { users: 2 },
    };
    expect(await argo.healthOf(config as KubeObject)).toEqual({ status: 'Healthy', message: 'Users: 2' });
  });
});
