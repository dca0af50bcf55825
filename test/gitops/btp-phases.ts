/** The phases of ServiceInstances and ServiceBindings that GitOps tools see. docs/gitops.md has the same as a table. */
import type { Verdicts } from './phases.ts';

export const BTP_PHASES = [
  'not observed',
  'being created',
  'blocked',
  'create failed',
  'ready to use',
  'changed, not observed',
  'being updated',
  'update failed',
  'sharing refused',
  'gone in Service Manager',
  'credentials being rotated',
  'replaced, waiting to be deleted',
  'deletion failed',
] as const;

export type BtpPhase = (typeof BTP_PHASES)[number];

export const btpVerdicts: Readonly<Record<BtpPhase, Verdicts>> = {
  'not observed': { argo: 'Unknown', flux: 'Unknown', kstatus: 'Current' },
  'being created': { argo: 'Progressing', flux: 'InProgress', kstatus: 'InProgress' },
  blocked: { argo: 'Progressing', flux: 'InProgress', kstatus: 'InProgress' },
  'create failed': { argo: 'Degraded', flux: 'Failed', kstatus: 'InProgress' },
  'ready to use': { argo: 'Healthy', flux: 'Current', kstatus: 'Current' },
  'changed, not observed': { argo: 'Unknown', flux: 'InProgress', kstatus: 'InProgress' },
  'being updated': { argo: 'Progressing', flux: 'InProgress', kstatus: 'Current' },
  'update failed': { argo: 'Degraded', flux: 'Failed', kstatus: 'Current' },
  'sharing refused': { argo: 'Degraded', flux: 'Failed', kstatus: 'Current' },
  'gone in Service Manager': { argo: 'Degraded', flux: 'Failed', kstatus: 'InProgress' },
  'credentials being rotated': { argo: 'Healthy', flux: 'Current', kstatus: 'Current' },
  'replaced, waiting to be deleted': { argo: 'Progressing', flux: 'InProgress', kstatus: 'Current' },
  'deletion failed': { argo: 'Progressing', flux: 'InProgress', kstatus: 'Terminating' },
};
