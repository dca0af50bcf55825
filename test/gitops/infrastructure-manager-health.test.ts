/** Health of Runtimes and GardenerClusters, with the states and conditions that the infrastructure manager writes. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../internal/framework/kube/object/object.ts';
import { type ArgoHealthChecks, argoHealthChecks } from './argo-health.ts';
import { type FluxHealthChecks, fluxHealthChecks } from './flux-health.ts';
import { RUNTIME_PHASES, type RuntimePhase, runtimeVerdicts } from './infrastructure-manager-phases.ts';
import { kstatus } from './kstatus.ts';

let argo: ArgoHealthChecks;
let flux: FluxHealthChecks;
beforeAll(async () => {
  argo = await argoHealthChecks();
  flux = await fluxHealthChecks();
});

interface Example {
  readonly state?: string;
  /** `type status reason: message` */
  readonly conditions?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly deleted?: true;
  /** What Argo CD shows. */
  readonly message: string;
}

function condition(text: string) {
  const [head = '', message = ''] = text.split(': ');
  const [type, status, reason] = head.split(' ');
  return { type, status, reason, message };
}

const provisioned = 'Provisioned True ConfigurationCompleted: Runtime processing completed successfully';
const others = ['KubeconfigReady True GardenerClusterCRReady: Gardener Cluster CR is ready.'];

const examples: Readonly<Record<RuntimePhase, Example>> = {
  'not observed': { message: 'Not observed by the infrastructure manager yet' },
  'being created or changed': {
    state: 'Pending',
    conditions: ['Provisioned Unknown Processing: Shoot is pending for update after patch', ...others],
    message: 'Pending: Shoot is pending for update after patch',
  },
  failed: {
    state: 'Failed',
    conditions: [provisioned, ...others, 'Configured False ConfigurationError: failed to update kubeconfig'],
    message: 'ConfigurationError: failed to update kubeconfig',
  },
  ready: { state: 'Ready', conditions: [provisioned, ...others], message: 'Ready' },
  'ready, changes suspended': {
    state: 'Ready',
    conditions: [provisioned, ...others],
    annotations: { 'operator.kyma-project.io/suspend-patch-reconciliation': 'true' },
    message: 'Ready; changes of its Shoot are suspended',
  },
  'being deleted': {
    state: 'Terminating',
    conditions: [provisioned, 'Deprovisioned Unknown GardenerShootDeleted: Runtime shoot deletion started'],
    deleted: true,
    message: 'Being deleted: Runtime shoot deletion started',
  },
  'deletion failed': {
    state: 'Failed',
    conditions: [provisioned, 'Deprovisioned False GardenerErr: Gardener API delete error'],
    deleted: true,
    message: 'Being deleted: Gardener API delete error',
  },
};

const objectOf = (kind: string, { state, conditions = [], annotations, deleted }: Example) =>
  ({
    apiVersion: 'infrastructuremanager.kyma-project.io/v1',
    kind,
    metadata: {
      name: 'runtime-1',
      namespace: 'kcp-system',
      generation: 2,
      ...(annotations && { annotations }),
      ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    ...(state && { status: { state, conditions: conditions.map(condition) } }),
  }) satisfies KubeObject & { status?: object };

async function verdictsOf(object: KubeObject) {
  const health = await argo.healthOf(object);
  const verdicts = { argo: health?.status, flux: flux.statusOf(object), kstatus: kstatus(object) };
  return { verdicts, message: health?.message };
}

describe('a Runtime', () => {
  test.each(RUNTIME_PHASES)(
    'that is %s: Argo CD, Flux and kstatus have the expected result',
    async (phase) => {
      const { verdicts, message } = await verdictsOf(objectOf('Runtime', examples[phase]));
      expect(verdicts).toEqual(runtimeVerdicts[phase]);
      expect(message).toBe(examples[phase].message);
    },
  );
});

test.each<[string, Example, RuntimePhase]>([
  ['not observed', { message: 'Not observed by the infrastructure manager yet' }, 'not observed'],
  ['with a current kubeconfig', { state: 'Ready', message: 'Ready' }, 'ready'],
  [
    'without a kubeconfig',
    {
      state: 'Error',
      conditions: ['KubeconfigManagement False FailedToGetKubeconfig: Failed to get kubeconfig.'],
      message: 'FailedToGetKubeconfig: Failed to get kubeconfig.',
    },
    'failed',
  ],
])('a GardenerCluster %s', async (_, example, phase) => {
  const { verdicts, message } = await verdictsOf(objectOf('GardenerCluster', example));
  expect(verdicts).toEqual(runtimeVerdicts[phase]);
  expect(message).toBe(example.message);
});
