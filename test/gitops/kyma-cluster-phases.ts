/** The phases of KymaClusters that GitOps tools see. docs/gitops.md has the same as a table. */
import type { Verdicts } from './phases.ts';

export const KYMA_CLUSTER_PHASES = [
  'not observed',
  'waiting for its kubeconfig',
  'components being installed',
  'ready',
  'change registered',
  'components fail',
  'disabled',
  'ready, mothership not reached',
  'being deleted',
  'deletion failed',
] as const;

export type KymaClusterPhase = (typeof KYMA_CLUSTER_PHASES)[number];

export const kymaClusterVerdicts: Readonly<Record<KymaClusterPhase, Verdicts>> = {
  'not observed': { argo: 'Unknown', flux: 'Unknown', kstatus: 'Current' },
  'waiting for its kubeconfig': { argo: 'Progressing', flux: 'InProgress', kstatus: 'InProgress' },
  'components being installed': { argo: 'Progressing', flux: 'InProgress', kstatus: 'InProgress' },
  ready: { argo: 'Healthy', flux: 'Current', kstatus: 'Current' },
  'change registered': { argo: 'Progressing', flux: 'InProgress', kstatus: 'Current' },
  'components fail': { argo: 'Degraded', flux: 'Failed', kstatus: 'InProgress' },
  disabled: { argo: 'Degraded', flux: 'Failed', kstatus: 'InProgress' },
  'ready, mothership not reached': { argo: 'Degraded', flux: 'Failed', kstatus: 'Current' },
  'being deleted': { argo: 'Progressing', flux: 'InProgress', kstatus: 'Terminating' },
  'deletion failed': { argo: 'Progressing', flux: 'InProgress', kstatus: 'Terminating' },
};
