/** Health of Runtimes and GardenerClusters in Argo CD. docs/gitops.md has the same as a table. */
import { beforeAll, expect, test } from '@jest/globals';
import { type ArgoHealthChecks, argoHealthChecks } from './argo-health.ts';

let argo: ArgoHealthChecks;
beforeAll(async () => {
  argo = await argoHealthChecks();
});

const object = (kind: string, status: object | undefined, deleted = false) => ({
  apiVersion: 'infrastructuremanager.kyma-project.io/v1',
  kind,
  metadata: {
    name: 'one',
    namespace: 'kcp-system',
    ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  },
  ...(status === undefined ? {} : { status }),
});
const condition = (type: string, status: string, reason: string, message: string) => ({
  ...{ type, status, reason, message },
});
const done = condition('Provisioned', 'True', 'ShootCreationCompleted', 'Shoot creation completed');
const kubeconfig = (status: string, reason: string, message: string) =>
  condition('KubeconfigManagement', status, reason, message);

test.each([
  {
    phase: 'not observed',
    status: undefined,
    want: ['Progressing', 'Not observed by the infrastructure manager yet'],
  },
  {
    phase: 'being created',
    status: {
      state: 'Pending',
      conditions: [condition('Provisioned', 'Unknown', 'Pending', 'Shoot creation in progress')],
    },
    want: ['Progressing', 'Pending: Shoot creation in progress'],
  },
  { phase: 'ready', status: { state: 'Ready', conditions: [done] }, want: ['Healthy', 'Ready'] },
  {
    phase: 'ready, and its cluster does not respond',
    status: {
      state: 'Ready',
      conditions: [done, condition('OidcConfigured', 'Unknown', 'OidcConfigurationErr', 'unreachable')],
    },
    want: ['Healthy', 'OidcConfigurationErr: unreachable'],
  },
  {
    phase: 'failed',
    status: {
      state: 'Failed',
      conditions: [condition('Provisioned', 'False', 'ConversionErr', 'Runtime conversion error x')],
    },
    want: ['Degraded', 'ConversionErr: Runtime conversion error x'],
  },
  {
    phase: 'being deleted',
    status: {
      state: 'Terminating',
      conditions: [
        condition('Deprovisioned', 'Unknown', 'GardenerShootDeleted', 'Runtime shoot deletion started'),
      ],
    },
    deleted: true,
    want: ['Progressing', 'GardenerShootDeleted: Runtime shoot deletion started'],
  },
])('a Runtime that is $phase', async ({ status, deleted, want }) => {
  const health = await argo.healthOf(object('Runtime', status, deleted));
  expect([health?.status, health?.message]).toEqual(want);
});

test.each([
  {
    phase: 'not observed',
    status: undefined,
    want: ['Progressing', 'Not observed by the infrastructure manager yet'],
  },
  {
    phase: 'ready',
    status: {
      state: 'Ready',
      conditions: [kubeconfig('True', 'KubeconfigSecretCreated', 'Secret created successfully.')],
    },
    want: ['Healthy', 'Secret created successfully.'],
  },
  {
    phase: 'not current',
    status: {
      state: 'Error',
      conditions: [kubeconfig('False', 'FailedToGetKubeconfig', 'Failed to get kubeconfig. Error: down')],
    },
    want: ['Degraded', 'Failed to get kubeconfig. Error: down'],
  },
])('a GardenerCluster that is $phase', async ({ status, want }) => {
  const health = await argo.healthOf(object('GardenerCluster', status));
  expect([health?.status, health?.message]).toEqual(want);
});
