import type { Deps } from '../../base/deps.ts';
import { messageOf } from '../../base/errors/errors.ts';
import { sleep } from '../../base/time/clock.ts';
import { listAll } from '../../kube/cache/listed-cache.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { Runnable } from '../../process/manager/runnable.ts';
import type { Occupancy } from '../model/occupancy.ts';

export interface OccupancyTrackerOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly occupancy: Occupancy;
  /** Name of this process: its host. */
  readonly poolId: string;
  readonly poolSize: number;
  /** Of the control plane, for the removal of pools whose pod is gone; undefined: none are removed. */
  readonly client: Pick<KubeClient, 'list'> | undefined;
  /** Workers that are busy now. */
  readonly running: () => number;
}

const pods: ResourceType = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const COMPONENT = 'mothership';
/** The number changes with each task, and the autoscaler reads it every half minute. In ms. */
const REPORT_INTERVAL_MS = 5000;
/** A pool that does not change is reported as often as component reconcilers report theirs, in ms. */
const IDLE_INTERVAL_MS = 30_000;
const CLEAN_INTERVAL_MS = 300_000;
const NAMESPACE = 'kcp-system';
const SELECTORS = ['app.kubernetes.io/name=mothership-reconciler', 'kyma-project.io/component-reconciler'];

/** Reports the workers of this process, and removes the pools of pods that are gone. */
export function createOccupancyTracker(options: OccupancyTrackerOptions): Runnable {
  const { occupancy, poolId, poolSize, client, clock, log } = options;
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
  const clean = async (signal: AbortSignal) => {
    if (client === undefined || clock.monotonic() - cleanedAt < CLEAN_INTERVAL_MS) return;
    cleanedAt = clock.monotonic();
    await attempt('remove pools without a pod', async () => {
      const names: string[] = [];
      for (const labelSelector of SELECTORS) {
        const found = await listAll(client, pods, { namespace: NAMESPACE, labelSelector, signal });
        names.push(...found.map(({ metadata }) => metadata.name));
      }
      await occupancy.keepOnly(names);
    });
  };

  return {
    name: 'occupancy of workers',
    start: async (signal) => {
      while (!signal.aborted) {
        await report();
        await clean(signal);
        await sleep(clock, REPORT_INTERVAL_MS, signal).catch(() => undefined);
      }
      await attempt('remove the own pool', () => occupancy.remove(poolId));
    },
  };
}
