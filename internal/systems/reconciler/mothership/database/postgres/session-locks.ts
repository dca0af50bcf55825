import pg from 'pg';
import { abandonable } from '../../../../../framework/base/concurrency/abandonable.ts';
import { type Clock, ProviderError } from '../../../../../framework/base/index.ts';

import type { Database } from '../database.ts';
import { destroyConnection } from './guarded-client.ts';
import { assertPrimary, CLOSE_TIMEOUT_MS } from './server-pool.ts';

export interface SessionLocks {
  readonly withLock: Database['withLock'];
  /** Gives up all locks, and waits for the ends of their connections. */
  close(): Promise<void>;
}

/** Interval in which the holder of a lock uses its connection, in ms. */
const CHECK_MS = 5000;
/** The server ends the session of a holder that does not, and so gives the lock to the next process, in ms. */
const IDLE_MS = 20_000;

/**
 * Advisory locks, each of a connection of its own: the server gives a lock to the next process when the connection of its holder
 * ends, or is not used. Sessions that wait for a lock are not idle.
 */
export function createSessionLocks({
  clients,
  clock,
}: {
  /** The servers of the database. */
  readonly clients: readonly pg.ClientConfig[];
  readonly clock: Clock;
}): SessionLocks {
  const closing = new AbortController();
  const held = new Set<Promise<unknown>>();

  const connect = async (): Promise<pg.Client> => {
    const errors: unknown[] = [];
    for (const config of clients) {
      const client = new pg.Client({
        ...config,
        options: `${config.options ?? ''} -c idle_session_timeout=${IDLE_MS} -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3`,
      });
      client.on('error', () => undefined);
      try {
        await client.connect();
        if (clients.length > 1) await assertPrimary(client);
        return client;
      } catch (error) {
        errors.push(error);
        destroyConnection(client);
      }
    }
    throw errors[0];
  };

  const run = async <T>(name: string, work: (signal: AbortSignal) => Promise<T>, outer: AbortSignal) => {
    const client = await connect();
    const lost = new AbortController();
    const lose = () => lost.abort(new ProviderError('transient', `the lock ${name} was lost`));
    client.once('end', lose);
    const signal = AbortSignal.any([outer, lost.signal]);
    let isOver = false;
    let cancelCheck = () => {};
    const check = () => {
      const cancel = clock.after(CHECK_MS, () => destroyConnection(client));
      client
        .query('select 1')
        .catch(lose)
        .finally(() => {
          cancel();
          if (!isOver && !signal.aborted) cancelCheck = clock.after(CHECK_MS, check);
        });
    };
    try {
      const locked = client.query('select pg_advisory_lock(hashtextextended($1, 13))', [name]);
      locked.catch(() => undefined);
      await abandonable(locked, signal);
      cancelCheck = clock.after(CHECK_MS, check);
      return await work(signal);
    } finally {
      isOver = true;
      cancelCheck();
      const cancel = clock.after(CLOSE_TIMEOUT_MS, () => destroyConnection(client));
      await client.end().catch(() => undefined);
      cancel();
    }
  };

  return {
    withLock: async (name, work, outer) => {
      const signal = outer === undefined ? closing.signal : AbortSignal.any([outer, closing.signal]);
      const running = run(name, work, signal);
      held.add(running);
      try {
        return await running;
      } finally {
        held.delete(running);
      }
    },
    close: async () => {
      closing.abort(new ProviderError('transient', 'the database is being closed'));
      await Promise.allSettled(held);
    },
  };
}
