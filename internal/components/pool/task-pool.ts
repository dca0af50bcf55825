import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { type Runnable, untilAborted } from '../../process/manager/runnable.ts';
import type { Delivery } from '../model/callback.ts';
import { clusterOf, type Task, tenantOf } from '../model/task.ts';

/**
 * What became of a task that was offered: `accepted`; `full`, as all workers are busy, or as many as one cluster or one tenant
 * may have; `closed`, as the program stops.
 */
export type Offer = 'accepted' | 'full' | 'closed';

/** Workers. One works on one task at a time. */
export interface TaskPool {
  readonly runnable: Runnable;
  readonly size: number;
  /** Tasks in progress. */
  running(): number;
  isOpen(): boolean;
  /**
   * Begins the task if there is a worker. One that was accepted before is accepted without a second run. One of the same
   * operation replaces the earlier one, which is cancelled.
   */
  offer(task: Task): Offer;
}

/**
 * Works on a task; must not reject.
 *
 * @param stop aborted when the task must end
 * @param abort aborted when nothing may be waited for
 */
export type Work = (
  task: Task,
  stop: AbortSignal,
  abort: AbortSignal,
) => Promise<{ readonly delivery: Promise<Delivery> }>;

export interface TaskPoolOptions extends Pick<Deps, 'log' | 'metrics'> {
  readonly size: number;
  readonly work: Work;
  /** Called with the first task, and with each one after an idle time. */
  readonly onAccepted?: (task: Task) => void;
}

/** Last reports that may wait for their delivery without a worker. */
const MAX_DELIVERIES = 1000;

interface Running {
  readonly task: Task;
  readonly cluster: string;
  readonly tenant: string;
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
}

export function createTaskPool({ size, work, onAccepted, log, metrics }: TaskPoolOptions): TaskPool {
  const tasks = new Set<Running>();
  const deliveries = new Set<Promise<unknown>>();
  const aborting = new AbortController();
  /** A cluster that hangs holds its workers until their timeout: others keep some. */
  const maxPerCluster = Math.max(2, Math.ceil(size / 2));
  /** So does a tenant whose clusters all hang. */
  const maxPerTenant = Math.max(2, size - Math.ceil(size / 4));
  let isOpen = false;

  metrics.gauge({ name: 'reconciler_workers', help: 'Workers of this process.' }).set(size);
  const busy = metrics.gauge({ name: 'reconciler_workers_busy', help: 'Workers with a task.' });
  const refused = metrics.counter({
    name: 'reconciler_tasks_refused_total',
    help: 'Tasks that were answered with 429.',
  });
  busy.set(0);
  refused.inc({}, 0);

  const perform = async (task: Task, earlier: readonly Running[], stopping: AbortController) => {
    for (const { stopping: other } of earlier) {
      other.abort(new ProviderError('transient', 'the operation was sent again'));
    }
    await Promise.all(earlier.map(({ ended }) => ended));
    const { delivery } = await work(task, stopping.signal, aborting.signal);
    const delivered = delivery.finally(() => deliveries.delete(delivered));
    deliveries.add(delivered);
    if (deliveries.size > MAX_DELIVERIES) await delivered;
  };
  const begin = (task: Task, owner: Pick<Running, 'cluster' | 'tenant'>, earlier: readonly Running[]) => {
    const stopping = new AbortController();
    const ended = perform(task, earlier, stopping).finally(() => {
      tasks.delete(running);
      busy.set(tasks.size);
    });
    const running: Running = { task, ...owner, stopping, ended };
    tasks.add(running);
    busy.set(tasks.size);
  };

  const isShareTaken = ({ cluster, tenant }: Pick<Running, 'cluster' | 'tenant'>): boolean => {
    let [ofCluster, ofTenant] = [0, 0];
    for (const other of tasks) {
      if (other.cluster === cluster) ofCluster++;
      if (other.tenant === tenant) ofTenant++;
    }
    return ofCluster >= maxPerCluster || ofTenant >= maxPerTenant;
  };

  return {
    size,
    running: () => tasks.size,
    isOpen: () => isOpen,
    offer: (task) => {
      if (!isOpen) return 'closed';
      const earlier = [...tasks].filter(({ task: other }) => other.correlationID === task.correlationID);
      // The URL has the token of the attempt: a request that was repeated on the way.
      if (earlier.some(({ task: other }) => other.callbackURL === task.callbackURL)) return 'accepted';
      const owner = { cluster: clusterOf(task), tenant: tenantOf(task) };
      if (tasks.size >= size || isShareTaken(owner)) {
        refused.inc();
        return 'full';
      }
      onAccepted?.(task);
      begin(task, owner, earlier);
      return 'accepted';
    },
    runnable: {
      name: 'workers',
      start: async (signal, abort) => {
        isOpen = true;
        const onAbort = () => aborting.abort(abort.reason);
        abort.addEventListener('abort', onAbort, { once: true });
        await untilAborted(signal);
        isOpen = false;
        if (tasks.size > 0) log.info('cancelling tasks', { tasks: tasks.size });
        const reason = new ProviderError('transient', 'the component reconciler is stopping');
        for (const { stopping } of tasks) stopping.abort(reason);
        await Promise.all([...tasks].map(({ ended }) => ended));
        await Promise.all(deliveries);
        abort.removeEventListener('abort', onAbort);
      },
    },
  };
}
