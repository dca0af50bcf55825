import type { Deps } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';

import type { Database } from '../database/database.ts';
import type { CleanerSettings } from '../model/settings.ts';
import { createEventLoop } from '../triggers/event-loop.ts';
import { cleanDeletedClusters, cleanStatuses, limitStatuses } from './clean-inventory.ts';
import { cleanReconciliations } from './clean-reconciliations.ts';

export interface CleanerOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly database: Database;
  readonly settings: { readonly cleaner: CleanerSettings };
}

/** Removes what is old: reconciliations, statuses and deleted clusters. */
export function createCleaner(options: CleanerOptions): Runnable {
  const { clock, log, database } = options;
  const { cleaner } = options.settings;
  const { runnable } = createEventLoop({
    ...options,
    name: 'cleaner',
    topics: [],
    intervalMs: cleaner.intervalMs,
    run: async (signal) => {
      const reconciliations = await cleanReconciliations(database, cleaner, signal);
      const isOn = cleaner.maxInventoryAgeDays > 0;
      const batch = { batchSize: cleaner.statusBatchSize, clock };
      const statuses = isOn
        ? await cleanStatuses(database, batch, signal)
        : await limitStatuses(database, cleaner, signal);
      const clusters = isOn ? await cleanDeletedClusters(database, cleaner.maxInventoryAgeDays, signal) : 0;
      log.info('old entries removed', { reconciliations, statuses, clusters });
      return undefined;
    },
  });
  return runnable;
}
