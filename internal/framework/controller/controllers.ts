import type { Deps } from '../base/deps.ts';
import type { Manager } from '../process/manager/manager.ts';
import type { Runnable } from '../process/manager/runnable.ts';
import type { Controller } from './controller.ts';
import { controllerRunnable, followsCluster } from './controller-runnable.ts';

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
