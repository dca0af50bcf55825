import { type Deps, messageOf, sleep } from '../../../../framework/base/index.ts';
import type { Runnable } from '../../../../framework/process/index.ts';

import type { Database, LockName } from '../database/database.ts';

/** Delay before the lock is asked for again after a failure, in ms. */
const RETRY_MS = 1000;

/**
 * Runs a part in one process on the database at a time, where more would repeat each other's work. When that process ends or hangs,
 * the part begins in another one.
 *
 * @param create called each time that this process has the lock
 */
export function inOneProcess(
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
