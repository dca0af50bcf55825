import { channel } from 'node:diagnostics_channel';

/** Work that writes, such as a reconcile, in progress or ended while something of it goes on. */
export interface ObservedRun {
  /** `reconcile of ServiceBinding`, `task`, the name of a runnable. */
  readonly name: string;
  readonly hasEnded: () => boolean;
  /** Of a reconcile, which asks before it writes outside. Default: writes are allowed until the end. */
  readonly reconcile?: {
    /** The object, `namespace/name`. */
    readonly key: string;
    /** The name of the cluster of the object. Writes to others are external. */
    readonly home: string;
    readonly signal: AbortSignal;
    /** How often a write was allowed by `assertMayWrite` so far. */
    readonly allowedWrites: () => number;
  };
}

/**
 * A channel of `node:diagnostics_channel`: tests bind an AsyncLocalStorage to it, and find the run of a write there. Without
 * a test nothing is observed.
 */
export const observedRuns = channel('provider-kyma.run');

/**
 * Performs work after whose end nothing of it writes.
 *
 * @param isOver whether it has ended though it goes on; default: it ends by itself
 */
export async function observeRun<T>(
  name: string,
  work: () => Promise<T>,
  isOver: () => boolean = () => false,
): Promise<T> {
  if (!observedRuns.hasSubscribers) return work();
  let ended = false;
  const run: ObservedRun = { name, hasEnded: () => ended || isOver() };
  return observedRuns.runStores(run, async () => {
    try {
      return await work();
    } finally {
      ended = true;
    }
  });
}

/** What loggers, recorders and metrics without an output would have shown. */
export interface ObservedOutput {
  readonly kind: 'log line' | 'event' | 'metric';
  readonly content: unknown;
  /** Of an event: the object that it is about, `namespace/name`. */
  readonly about?: string | undefined;
}

/** The channel of `node:diagnostics_channel` on which they publish if it has subscribers, which it has in tests. */
export const observedOutput = channel('provider-kyma.output');

export function publishOutput(kind: ObservedOutput['kind'], content: () => unknown, about?: string): void {
  if (observedOutput.hasSubscribers)
    observedOutput.publish({ kind, content: content(), about } satisfies ObservedOutput);
}
