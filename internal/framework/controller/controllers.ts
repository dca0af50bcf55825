import type { Deps } from '../base/deps.ts';
import { ProviderError } from '../base/errors/errors.ts';
import type { Clock } from '../base/time/clock.ts';
import { type HealthCheck, type Manager, type Runnable, untilAborted } from '../process/manager.ts';
import type { Controller } from './controller.ts';

export interface AddControllerOptions {
  /** Whether this process is ready without the kind being installed. Default false. */
  readonly mayBeMissing?: () => boolean;
}

/** The controllers of a manager. */
export interface Controllers {
  /** Adds a controller and its check to /readyz; before `run` or later, e.g. when a kind's CRD appears. */
  addController(controller: Controller, options?: AddControllerOptions): void;
  /**
   * Stops a controller: reconciles in progress may end within the drain timeout, and are aborted then. Resolves when
   * none is in progress.
   */
  removeController(controller: Controller): Promise<void>;
}

export interface ControllersOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly manager: Pick<Manager, 'add' | 'remove' | 'addReadyCheck'>;
}

export function createControllers({ manager, clock, log }: ControllersOptions): Controllers {
  const added = new Map<Controller, { readonly runnable: Runnable; readonly removeCheck: () => void }>();
  return {
    addController: (controller, { mayBeMissing = () => false } = {}) => {
      const runnable = controllerRunnable(controller, { clock, log });
      const follows = followsCluster(controller);
      const removeCheck = manager.addReadyCheck(controller.name, () => {
        const missing = mayBeMissing() && controller.problem()?.kindMissing;
        return missing ? 'its kind is not installed' : follows();
      });
      added.set(controller, { runnable, removeCheck });
      manager.add(runnable);
    },
    removeController: async (controller) => {
      const known = added.get(controller);
      known?.removeCheck();
      if (known !== undefined) await manager.remove(known.runnable);
      added.delete(controller);
      log.info('controller ended', { controller: controller.name });
    },
  };
}

/** Interval between log lines while caches sync, in ms. */
const SYNC_REMINDER_MS = 10_000;
/** Time that a watch may be interrupted before readiness fails, in ms: servers end watches and restart. */
const INTERRUPTION_MS = 10_000;

/** Runs a controller: its watches before leadership, its workers after. */
function controllerRunnable(controller: Controller, options: Pick<Deps, 'clock' | 'log'>): Runnable {
  const { clock, log } = options;
  const remind = () => {
    // A kind that is not installed may never sync.
    if (!controller.problem()?.kindMissing) log.info('waiting for caches', { controller: controller.name });
  };
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= controller.stop();
    return stopped;
  };
  return {
    name: controller.name,
    needsLeadership: true,
    warmUp: async (signal) => {
      signal.addEventListener('abort', () => void stop(), { once: true });
      controller.watch();
      await remindWhile(clock, controller.whenSynced(signal), remind);
    },
    start: async (signal, abort) => {
      abort.addEventListener('abort', () => controller.abort(abort.reason), { once: true });
      controller.work();
      log.info('controller started', { controller: controller.name });
      await untilAborted(signal);
      await stop();
    },
  };
}

/** Succeeds while the caches of the controller are up to date. */
function followsCluster(controller: Controller): HealthCheck {
  return () => {
    const problem = controller.problem();
    const why = problem === undefined ? '' : `: ${problem.text}`;
    if (!controller.hasSynced()) throw new ProviderError('transient', `its caches have not synced${why}`);
    if (problem === undefined || problem.forMs < INTERRUPTION_MS) return;
    const seconds = Math.round(problem.forMs / 1000);
    throw new ProviderError('transient', `its caches have been out of date for ${seconds} s${why}`);
  };
}

async function remindWhile(clock: Clock, work: Promise<void>, remind: () => void): Promise<void> {
  let cancel: () => void = () => undefined;
  const again = () => {
    cancel = clock.after(SYNC_REMINDER_MS, () => {
      remind();
      again();
    });
  };
  again();
  try {
    await work;
  } finally {
    cancel();
  }
}
