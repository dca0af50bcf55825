import type { KubeObject } from '../../../../../framework/kube/index.ts';

/** Whether an object is ready: if not, why, for users. `failed`: it never will be. */
export type Readiness =
  /** `isGone`: it did what it was there for. */
  | { readonly state: 'ready'; readonly isGone?: true }
  | { readonly state: 'pending' | 'failed'; readonly reason: string };

export const ready: Readiness = { state: 'ready' };
export const pending = (reason: string): Readiness => ({ state: 'pending', reason });
export const failed = (reason: string): Readiness => ({ state: 'failed', reason });

/** Reads what the readiness of an object depends on besides the object. */
export interface ReadinessReads {
  /** ReplicaSets of the namespace that the labels select. */
  replicaSets(namespace: string, labels: Readonly<Record<string, string>>): Promise<readonly KubeObject[]>;
}

export type CheckReadiness = (object: KubeObject, reads: ReadinessReads) => Readiness | Promise<Readiness>;
