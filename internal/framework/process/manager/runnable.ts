/**
 * A part that runs as long as the manager: a controller, an HTTP server, an event recorder, a scheduler. The model is
 * `manager.Runnable` of controller-runtime.
 */
export interface Runnable {
  /** For logs and errors. */
  readonly name: string;
  /** Whether it runs only while this replica leads. Default false. */
  readonly needsLeadership?: boolean;
  /**
   * Prepares before this replica leads, e.g. fills caches. What it starts must stop with `signal`, because `start` is
   * not called if the manager stops first.
   */
  warmUp?(signal: AbortSignal): Promise<void>;
  /**
   * Runs until `signal` is aborted, then ends its work and resolves. If it rejects or resolves earlier, the manager
   * stops everything and `run` rejects with its reason.
   *
   * @param abort aborted when the work must end at once: leadership was lost, or the drain timeout has passed
   */
  start(signal: AbortSignal, abort: AbortSignal): Promise<void>;
}

export type Stop = () => void | Promise<void>;

/** A runnable of a start and a stop function. */
export function startAndStop(name: string, begin: () => Stop | Promise<Stop>): Runnable {
  return {
    name,
    start: async (signal) => {
      const stop = await begin();
      await untilAborted(signal);
      await stop();
    },
  };
}

/** Resolves when `signal` is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
