import { type Deps, messageOf, sleep } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';

import type { Occupancy } from '../model/occupancy.ts';

export interface OccupancyTrackerOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly occupancy: Occupancy;
  /** Name of this process: its host. */
  readonly poolId: string;
  readonly poolSize: number;
  /** Workers that are busy now. */
  readonly running: () => number;
}

const COMPONENT = 'mothership';
/** The number changes with each task, and the autoscaler reads it every half minute. In ms. */
const REPORT_INTERVAL_MS = 5000;
/** A pool that does not change is reported as often as component reconcilers report theirs, in ms. */
const IDLE_INTERVAL_MS = 30_000;
const CLEAN_INTERVAL_MS = 60_000;
/** Component reconcilers report every 30 s, and every two minutes while they are refused, in ms. */
const MAX_SILENCE_MS = 300_000;

/** Reports the workers of this process, and removes the pools of processes that have ended without a word. */
export function createOccupancyTracker(options: OccupancyTrackerOptions): Runnable {
  const { occupancy, poolId, poolSize, clock, log } = options;
  let reported: number | undefined;
  let reportedAt = 0;
  let cleanedAt = clock.monotonic();

  const attempt = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      log.info(`cannot ${what}`, { error: messageOf(error) });
    }
  };
  const report = async () => {
    const now = clock.monotonic();
    const runningWorkers = Math.min(options.running(), poolSize);
    if (runningWorkers === reported && now - reportedAt < IDLE_INTERVAL_MS) return;
    await attempt('report the occupancy', () =>
      occupancy.report({ poolId, component: COMPONENT, runningWorkers, poolSize }),
    );
    reported = runningWorkers;
    reportedAt = now;
  };
  const clean = async () => {
    if (clock.monotonic() - cleanedAt < CLEAN_INTERVAL_MS) return;
    cleanedAt = clock.monotonic();
    await attempt('remove pools without reports', () => occupancy.removeSilent(MAX_SILENCE_MS));
  };

  return {
    name: 'occupancy of workers',
    start: async (signal) => {
      while (!signal.aborted) {
        await report();
        await clean();
        await sleep(clock, REPORT_INTERVAL_MS, signal).catch(() => undefined);
      }
      await attempt('remove the own pool', () => occupancy.remove(poolId));
    },
  };
}
