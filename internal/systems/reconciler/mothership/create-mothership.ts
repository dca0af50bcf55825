import { createBookkeeper } from './bookkeeper/create-bookkeeper.ts';
import { createCleaner } from './cleaner/create-cleaner.ts';
import { createWorkerPool } from './dispatch/create-worker-pool.ts';
import { createHttpInvoker } from './dispatch/http-invoker.ts';
import { createLocalInvoker } from './dispatch/local-invoker.ts';
import { createInventory } from './inventory/create-inventory.ts';
import type { Mothership, MothershipOptions } from './model/mothership.ts';
import { createOccupancy } from './occupancy/create-occupancy.ts';
import { createOverview } from './overview/create-overview.ts';
import { createReconciliations } from './reconciliations/create-reconciliations.ts';
import { createOperationTokens } from './reconciliations/operation-tokens.ts';
import { createRollouts } from './rollouts/create-rollouts.ts';
import { createScheduler } from './scheduler/create-scheduler.ts';
import { inOneProcess } from './triggers/in-one-process.ts';

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
