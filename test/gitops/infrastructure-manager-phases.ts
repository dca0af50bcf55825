/** The phases of Runtimes that GitOps tools see. docs/gitops.md has the same as a table. */
import type { Verdicts } from './phases.ts';

export const RUNTIME_PHASES = [
  'not observed',
  'being created or changed',
  'failed',
  'ready',
  'ready, changes suspended',
  'being deleted',
  'deletion failed',
] as const;

export type RuntimePhase = (typeof RUNTIME_PHASES)[number];

export const runtimeVerdicts: Readonly<Record<RuntimePhase, Verdicts>> = {
  'not observed': { argo: 'Unknown', flux: 'Unknown', kstatus: 'Current' },
  'being created or changed': { argo: 'Progressing', flux: 'InProgress', kstatus: 'Current' },
  failed: { argo: 'Degraded', flux: 'Failed', kstatus: 'Current' },
  ready: { argo: 'Healthy', flux: 'Current', kstatus: 'Current' },
  'ready, changes suspended': { argo: 'Healthy', flux: 'Current', kstatus: 'Current' },
  'being deleted': { argo: 'Progressing', flux: 'InProgress', kstatus: 'Terminating' },
  'deletion failed': { argo: 'Progressing', flux: 'InProgress', kstatus: 'Terminating' },
};
