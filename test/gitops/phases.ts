/**
 * The phases of a managed resource that GitOps tools see, and the expected result of each tool. docs/gitops.md has the
 * same as a table.
 */

export const PHASES = [
  'no status yet',
  'waiting',
  'creating',
  'ready',
  'ready, source gone',
  'ready, unsynced',
  'changed',
  'left as it is',
  'missing',
  'conflict',
  'paused',
  'deleting',
  'deleting, paused',
] as const;

export type Phase = (typeof PHASES)[number];

/** `Unknown`: the provider has not observed the object as it is now. */
export type ArgoHealth = 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended' | 'Unknown';

/** Results of kstatus. `Unknown`: no result; tools do not treat it as done. */
export type KStatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating' | 'Unknown';

export interface Verdicts {
  /** Argo CD with examples/argocd. */
  readonly argo: ArgoHealth;
  /** Flux with examples/flux. */
  readonly flux: KStatus;
  /** kstatus alone: Flux without expressions, `helm --wait`, kpt. */
  readonly kstatus: KStatus;
}

export const verdicts: Readonly<Record<Phase, Verdicts>> = {
  'no status yet': { argo: 'Unknown', flux: 'Unknown', kstatus: 'Current' },
  waiting: { argo: 'Progressing', flux: 'InProgress', kstatus: 'InProgress' },
  creating: { argo: 'Progressing', flux: 'InProgress', kstatus: 'InProgress' },
  ready: { argo: 'Healthy', flux: 'Current', kstatus: 'Current' },
  'ready, source gone': { argo: 'Progressing', flux: 'InProgress', kstatus: 'Current' },
  'ready, unsynced': { argo: 'Degraded', flux: 'Failed', kstatus: 'Current' },
  changed: { argo: 'Unknown', flux: 'InProgress', kstatus: 'InProgress' },
  'left as it is': { argo: 'Healthy', flux: 'Current', kstatus: 'Current' },
  missing: { argo: 'Degraded', flux: 'Failed', kstatus: 'InProgress' },
  conflict: { argo: 'Degraded', flux: 'Failed', kstatus: 'InProgress' },
  paused: { argo: 'Suspended', flux: 'InProgress', kstatus: 'Current' },
  deleting: { argo: 'Progressing', flux: 'InProgress', kstatus: 'Terminating' },
  'deleting, paused': { argo: 'Progressing', flux: 'InProgress', kstatus: 'Terminating' },
};
