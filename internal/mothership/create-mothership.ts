import { createBookkeeper } from './bookkeeper/create-bookkeeper.ts';
import { createCleaner } from './cleaner/create-cleaner.ts';
import { createWorkerPool } from './dispatch/create-worker-pool.ts';
import { createHttpInvoker } from './dispatch/http-invoker.ts';
import { createInventory } from './inventory/create-inventory.ts';
import type { Mothership, MothershipOptions } from './model/mothership.ts';
import { createOccupancy } from './occupancy/create-occupancy.ts';
import { createReconciliations } from './reconciliations/create-reconciliations.ts';
import { createOperationTokens } from './reconciliations/operation-tokens.ts';
import { createRollouts } from './rollouts/create-rollouts.ts';
import { createScheduler } from './scheduler/create-scheduler.ts';

/** All parts of a mothership but its servers. */
export function createMothership(options: MothershipOptions): Mothership {
  const { database, keyring, kubeconfigs, observers = [] } = options;
  const tokens = createOperationTokens(keyring);
  const context = { ...options, observers, tokens, kubeconfigs };
  const invoker = createHttpInvoker(options);
  const workerPool = createWorkerPool({ ...context, invoke: invoker.invoke });
  return {
    inventory: createInventory({ store: database, keyring, observers }),
    reconciliations: createReconciliations({ ...context, store: database }),
    occupancy: createOccupancy(database),
    rollouts: createRollouts(database),
    runnables: [
      createScheduler(context),
      {
        ...workerPool,
        start: async (signal, abort) => {
          try {
            await workerPool.start(signal, abort);
          } finally {
            await invoker.close();
          }
        },
      },
      createBookkeeper(context),
      createCleaner(context),
    ],
  };
}
