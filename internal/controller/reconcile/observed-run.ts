import { channel } from 'node:diagnostics_channel';

/** A reconcile in progress, or one that has ended while something of it goes on. */
export interface ObservedRun {
  readonly kind: string;
  /** The name of the cluster of the object. Writes to others are external. */
  readonly home: string;
  readonly signal: AbortSignal;
  readonly hasEnded: () => boolean;
  /** How often a write was allowed by `assertMayWrite` so far. */
  readonly allowedWrites: () => number;
}

/**
 * A channel of `node:diagnostics_channel`: tests bind an AsyncLocalStorage to it, and find the run of a write there. Without
 * a test nothing is observed.
 */
export const observedRuns = channel('provider-kyma.run');
