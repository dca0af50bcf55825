import { type Deps, ProviderError } from '../../../../framework/base/index.ts';
import { type Runnable, untilAborted } from '../../../../framework/process/index.ts';
import type { Worker } from '../model/component.ts';
import { clusterOf, type Delivery, type Task, tenantOf } from '../model/task.ts';

/** What became of a task that was offered: `closed`, as the program stops, or the limit that refuses it. */
export type Offer = 'accepted' | 'closed' | RefusedOffer;

/** All workers are busy, or as many as one cluster or one tenant may have, or as many tasks wait for an attempt as may do so. */
export interface RefusedOffer {
  readonly limit: 'workers' | 'cluster' | 'tenant' | 'waiting';
  /** Tasks that count, which are as many as may be. */
  readonly tasks: number;
}

/** Workers. One works on one task at a time. */
export interface TaskPool {
  readonly runnable: Runnable;
  readonly size: number;
  /** Busy workers: tasks in progress that do not wait for their next attempt. */
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
 * @param worker is free while the task waits for its next attempt
 */
export type Work = (
  task: Task,
  stop: AbortSignal,
  abort: AbortSignal,
  worker: Worker,
) => Promise<{ readonly delivery: Promise<Delivery> }>;

export interface TaskPoolOptions extends Pick<Deps, 'log' | 'metrics'> {
  readonly size: number;
  readonly work: Work;
  /** Called with the first task, and with each one after an idle time. */
  readonly onAccepted?: (task: Task) => void;
}

/** Last reports that may wait for their delivery without a worker. */
const MAX_DELIVERIES = 1000;
/** Tasks for each worker, those included that wait for their next attempt. */
const MAX_TASKS_PER_WORKER = 10;

interface Running {
  readonly task: Task;
  readonly cluster: string;
  readonly tenant: string;
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
  /** Whether it has a worker. */
  isBusy: boolean;
}

interface Waiting {
  readonly running: Running;
  readonly resume: () => void;
}

export function createTaskPool({ size, work, onAccepted, log, metrics }: TaskPoolOptions): TaskPool {
  const tasks = new Set<Running>();
  /** Tasks whose delay is over, in the order of its end: they get free workers before new tasks do. */
  const waiting = new Set<Waiting>();
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
  const countBusy = () => [...tasks].filter(({ isBusy }) => isBusy).length;
  busy.set(0);
  refused.inc({}, 0);

  const perform = async (running: Running, earlier: readonly Running[]) => {
    const { task, stopping } = running;
    for (const { stopping: other } of earlier) {
      other.abort(new ProviderError('transient', 'the operation was sent again'));
    }
    await Promise.all(earlier.map(({ ended }) => ended));
    const { delivery } = await work(task, stopping.signal, aborting.signal, workerOf(running));
    const delivered = delivery.finally(() => deliveries.delete(delivered));
    deliveries.add(delivered);
    if (deliveries.size > MAX_DELIVERIES) await delivered;
  };
  const begin = (task: Task, owner: Pick<Running, 'cluster' | 'tenant'>, earlier: readonly Running[]) => {
    const ended = Promise.withResolvers<void>();
    const running: Running = {
      task,
      ...owner,
      stopping: new AbortController(),
      ended: ended.promise,
      isBusy: true,
    };
    tasks.add(running);
    busy.set(countBusy());
    void perform(running, earlier).finally(() => {
      tasks.delete(running);
      ended.resolve();
      assign();
    });
  };

  /** The limit that keeps a task of a cluster and a tenant from a worker. */
  const limitOf = ({ cluster, tenant }: Pick<Running, 'cluster' | 'tenant'>): RefusedOffer | undefined => {
    let [all, ofCluster, ofTenant] = [0, 0, 0];
    for (const other of tasks) {
      if (!other.isBusy) continue;
      all++;
      if (other.cluster === cluster) ofCluster++;
      if (other.tenant === tenant) ofTenant++;
    }
    if (all >= size) return { limit: 'workers', tasks: all };
    if (ofCluster >= maxPerCluster) return { limit: 'cluster', tasks: ofCluster };
    return ofTenant >= maxPerTenant ? { limit: 'tenant', tasks: ofTenant } : undefined;
  };

  /** Gives free workers to tasks whose delay is over. */
  const assign = () => {
    for (const next of waiting) {
      if (limitOf(next.running) !== undefined) continue;
      waiting.delete(next);
      next.running.isBusy = true;
      next.resume();
    }
    busy.set(countBusy());
  };

  const workerOf = (running: Running): Worker => ({
    pause: () => {
      running.isBusy = false;
      assign();
    },
    resume: async (signal) => {
      if (signal.aborted) return;
      const resumed = Promise.withResolvers<void>();
      const entry: Waiting = { running, resume: () => resumed.resolve() };
      const leave = () => {
        waiting.delete(entry);
        resumed.resolve();
      };
      waiting.add(entry);
      signal.addEventListener('abort', leave, { once: true });
      assign();
      await resumed.promise;
      signal.removeEventListener('abort', leave);
    },
  });

  return {
    size,
    running: countBusy,
    isOpen: () => isOpen,
    offer: (task) => {
      if (!isOpen) return 'closed';
      const earlier = [...tasks].filter(({ task: other }) => other.correlationID === task.correlationID);
      // The URL has the token of the attempt: a request that was repeated on the way.
      if (earlier.some(({ task: other }) => other.callbackURL === task.callbackURL)) return 'accepted';
      const owner = { cluster: clusterOf(task), tenant: tenantOf(task) };
      const limit =
        tasks.size >= size * MAX_TASKS_PER_WORKER
          ? ({ limit: 'waiting', tasks: tasks.size } as const)
          : limitOf(owner);
      if (limit !== undefined) {
        refused.inc();
        return limit;
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
