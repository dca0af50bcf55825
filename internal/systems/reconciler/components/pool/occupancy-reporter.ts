import { type Deps, messageOf, sleep, withDeadline } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';

import type { HttpCallbacks } from '../reports/http-callbacks.ts';
import type { TaskPool } from './task-pool.ts';

export interface OccupancyReporterOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly callbacks: Pick<HttpCallbacks, 'send'>;
  readonly pool: Pick<TaskPool, 'running' | 'size'>;
  /** Host name: the mothership removes pools that are no pods. */
  readonly poolId: string;
  /** Name of the component reconciler. */
  readonly component: string;
}

export interface OccupancyReporter {
  readonly runnable: Runnable;
  /** The mothership of a task is the one that is told. */
  taskAccepted(task: { readonly callbackURL: string }): void;
}

const INTERVAL_MS = 30_000;
/** Interval after the mothership answered that it tracks no occupancy, in ms. */
const MAX_INTERVAL_MS = 120_000;
/** Time for the removal at the stop, in ms. */
const REMOVAL_TIMEOUT_MS = 2000;

/** Tells the mothership how many workers are busy, for its autoscaler. */
export function createOccupancyReporter(options: OccupancyReporterOptions): OccupancyReporter {
  const { clock, log, callbacks, pool, poolId, component } = options;
  let url: URL | undefined;
  let intervalMs = INTERVAL_MS;
  /** A pool of this name may be left with another size. */
  let isStale = true;
  let wake = (): void => undefined;

  const call = async (
    method: 'POST' | 'DELETE',
    to: URL,
    signal: AbortSignal,
  ): Promise<number | undefined> => {
    const runningWorkers = Math.min(pool.running(), pool.size);
    const body = method === 'POST' ? { component, runningWorkers, poolSize: pool.size } : undefined;
    try {
      return await callbacks.send(method, to, body, signal);
    } catch (error) {
      if (!signal.aborted) log.info('cannot report the occupancy', { error: messageOf(error) });
      return undefined;
    }
  };
  const report = async (to: URL, signal: AbortSignal) => {
    if (isStale) isStale = (await call('DELETE', to, signal)) === undefined;
    const status = await call('POST', to, signal);
    if (status === 404) intervalMs = Math.min(intervalMs * 2, MAX_INTERVAL_MS);
    else intervalMs = INTERVAL_MS;
    if (status === 500) isStale = true;
  };

  return {
    taskAccepted: ({ callbackURL }) => {
      if (callbackURL === '') return;
      const isFirst = url === undefined;
      url ??= new URL(`/v1/occupancy/${encodeURIComponent(poolId)}`, callbackURL);
      if (isFirst || intervalMs > INTERVAL_MS) wake();
      intervalMs = INTERVAL_MS;
    },
    runnable: {
      name: 'occupancy of workers',
      start: async (signal) => {
        while (!signal.aborted) {
          if (url !== undefined) await report(url, signal);
          const woken = new AbortController();
          wake = () => woken.abort();
          await sleep(clock, intervalMs, AbortSignal.any([signal, woken.signal])).catch(() => undefined);
        }
        if (url === undefined) return;
        using deadline = withDeadline(clock, REMOVAL_TIMEOUT_MS, 'removal of the own pool');
        await call('DELETE', url, deadline.signal);
      },
    },
  };
}
