/** Notices that many Runtimes are marked for deletion within a short time, which is more often a mistake than a wish. */
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { Deps } from '../../../framework/base/index.ts';
import { type EventRecorder, type ObjectCache, wasDeleted } from '../../../framework/kube/index.ts';

export interface MassDeletionOptions extends Pick<Deps, 'clock' | 'log' | 'metrics'> {
  readonly recorder: EventRecorder;
  /** More deletions within a minute are reported; 0 turns it off. */
  readonly threshold: number;
}

const WINDOW_MS = 60_000;

/**
 * Follows the Runtimes. Records an event on the Runtime whose deletion exceeds the threshold, and counts each such minute. Nothing
 * is stopped. Returns the function that ends it.
 */
export function watchMassDeletion(cache: ObjectCache<Runtime>, options: MassDeletionOptions): () => void {
  const { clock, log, metrics, recorder, threshold } = options;
  const exceeded = metrics.counter({
    name: 'infrastructure_manager_im_mass_deletions_total',
    help: 'Minutes in which more Runtimes were marked for deletion than --mass-deletion-threshold.',
  });
  exceeded.inc({}, 0);
  /** Of deletions within the window. */
  let times: readonly number[] = [];
  let reportedAt: number | undefined;
  const onDeletion = (runtime: Runtime) => {
    const now = clock.monotonic();
    times = [...times.filter((time) => now - time < WINDOW_MS), now].slice(-threshold - 1);
    if (times.length <= threshold || (reportedAt !== undefined && now - reportedAt < WINDOW_MS)) return;
    reportedAt = now;
    exceeded.inc();
    const text = `more than ${threshold} Runtimes were marked for deletion within a minute`;
    log.error(text, { runtime: `${runtime.metadata.namespace}/${runtime.metadata.name}` });
    recorder.record(runtime, 'Warning', 'MassDeletion', text);
  };
  if (threshold === 0) return () => undefined;
  return cache.subscribe((event) => {
    if (event.type === 'updated' && !wasDeleted(event.old) && wasDeleted(event.object))
      onDeletion(event.object);
  });
}
