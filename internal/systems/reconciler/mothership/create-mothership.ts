import { type Deps, messageOf, sleep } from '../../../framework/base/index.ts';
import type { Runnable } from '../../../framework/process/index.ts';
import type { Database, LockName } from './database/database.ts';
import { createWorkerPool } from './dispatch/create-worker-pool.ts';
import { createHttpInvoker } from './dispatch/http-invoker.ts';
import { createLocalInvoker } from './dispatch/local-invoker.ts';
import { createInventory } from './inventory/create-inventory.ts';
import type { Mothership, MothershipOptions } from './model/mothership.ts';
import { createOccupancy } from './occupancy.ts';
import { createOverview } from './overview.ts';
import { createReconciliations } from './reconciliations/create-reconciliations.ts';
import { createOperationTokens } from './reconciliations/operation-tokens.ts';
import { createRollouts } from './rollouts.ts';
import { createBookkeeper } from './runnables/bookkeeper.ts';
import { createCleaner } from './runnables/cleaner.ts';
import { createScheduler } from './runnables/scheduler.ts';

/** All parts of a mothership but its servers. */
export function createMothership(options: MothershipOptions): Mothership {
  const { database, keyring, kubeconfigs, actions, observers = [] } = options;
  const tokens = createOperationTokens(keyring);
  const context = { ...options, observers, tokens, kubeconfigs };
  const reconciliations = createReconciliations({ ...context, store: database });
  const remote = actions === undefined ? createHttpInvoker(options) : undefined;
  const invoke =
    remote?.invoke ?? createLocalInvoker({ ...options, actions: actions ?? {}, reconciliations });
  const workerPool = createWorkerPool({ ...context, invoke });
  return {
    inventory: createInventory({ store: database, keyring }),
    reconciliations,
    occupancy: createOccupancy(database),
    rollouts: createRollouts(database),
    overview: createOverview(database),
    runnables: [
      inOneProcess('scheduler', context, () => createScheduler(context)),
      {
        ...workerPool,
        start: async (signal, abort) => {
          try {
            await workerPool.start(signal, abort);
          } finally {
            await remote?.close();
          }
        },
      },
      inOneProcess('bookkeeper', context, () => createBookkeeper(context)),
      inOneProcess('cleaner', context, () => createCleaner(context)),
    ],
  };
}

/** Delay before the lock is asked for again after a failure, in ms. */
const RETRY_MS = 1000;

/**
 * Runs a part in one process on the database at a time, where more would repeat each other's work. When that process ends or hangs,
 * the part begins in another one.
 *
 * @param create called each time that this process has the lock
 */
function inOneProcess(
  name: LockName,
  { database, clock, log }: Pick<Deps, 'clock' | 'log'> & { readonly database: Pick<Database, 'withLock'> },
  create: () => Runnable,
): Runnable {
  return {
    name,
    start: async (signal, abort) => {
      while (!signal.aborted) {
        try {
          await database.withLock(name, (within) => create().start(within, abort), signal);
        } catch (error) {
          if (signal.aborted) return;
          log.info(`cannot get the lock of the ${name}`, { error: messageOf(error) });
          await sleep(clock, RETRY_MS, signal).catch(() => undefined);
        }
      }
    },
  };
}
