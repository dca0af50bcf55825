import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import type { Clock } from '../../../../framework/base/index.ts';
import type { PoolStats } from './database.ts';

interface ServerPoolOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** The servers of one database, each with all settings of its pool. */
  readonly servers: readonly pg.PoolConfig[];
  /** Called for connections that fail while nothing uses them. */
  onError(error: Error): void;
}

/** A pool as kysely uses it. */
interface ServerPool {
  connect(): Promise<PostgresPoolClient>;
  /** Resolves when all connections are closed: those that do not end within 5 s are cut. */
  end(): Promise<void>;
  stats(): Pick<
    PoolStats,
    'in_use' | 'idle' | 'open_connections' | 'wait_count' | 'wait_duration_milliseconds'
  >;
}

/** Time that connections have to end, in ms. */
export const CLOSE_TIMEOUT_MS = 5000;

/**
 * One pool for each server of a database. A connection is to the server of the last one, or else to the next that answers and
 * accepts writes. A server that is promoted is found by the first statement that fails on the old one. After a statement without an answer no connection is used
 * again that was opened before: the path to the server may be broken without a sign.
 */
export function createServerPool({ servers, clock, onError }: ServerPoolOptions): ServerPool {
  const hasStandbys = servers.length > 1;
  /** Open connections, with their ends. */
  const open = new Map<pg.PoolClient, Promise<void>>();
  const suspects = new WeakSet<pg.PoolClient>();
  const pools = servers.map((server) => {
    const pool = new pg.Pool(hasStandbys ? { ...server, verify: refuseStandby } : server);
    pool.on('error', onError);
    // The pool does not listen to connections in use: their error would end the process. Its statement fails as well.
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
      const ended = Promise.withResolvers<void>();
      open.set(client, ended.promise);
      client.once('end', () => {
        open.delete(client);
        ended.resolve();
      });
    });
    return pool;
  });
  const waits = { count: 0, ms: 0 };
  let current = 0;
  let ending: Promise<unknown> | undefined;
  const sum = (count: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + count(pool), 0);

  const connectSound = async (pool: pg.Pool) => {
    for (;;) {
      const client = await pool.connect();
      if (!suspects.has(client)) return client;
      destroyConnection(client);
      client.release(true);
    }
  };

  const close = async () => {
    const cancel = clock.after(CLOSE_TIMEOUT_MS, () => {
      for (const client of open.keys()) destroyConnection(client);
    });
    try {
      await Promise.all(pools.map((pool) => pool.end()));
      await Promise.all(open.values());
    } finally {
      cancel();
    }
  };

  const connectAny = async () => {
    const errors: unknown[] = [];
    for (const pool of [...pools.slice(current), ...pools.slice(0, current)]) {
      try {
        const client = await connectSound(pool);
        current = pools.indexOf(pool);
        return guardedClient(client, (loss) => {
          if (loss === 'unanswered') for (const known of open.keys()) suspects.add(known);
        });
      } catch (error) {
        errors.push(error);
      }
    }
    throw errors[0];
  };

  return {
    connect: async () => {
      if ((pools[current]?.idleCount ?? 0) > 0) return connectAny();
      const begin = performance.now();
      const client = await connectAny();
      waits.count++;
      waits.ms += performance.now() - begin;
      return client;
    },
    end: async () => {
      ending ??= close();
      await ending;
    },
    stats: () => ({
      in_use: sum(({ totalCount, idleCount }) => totalCount - idleCount),
      idle: sum(({ idleCount }) => idleCount),
      open_connections: sum(({ totalCount }) => totalCount),
      wait_count: waits.count,
      wait_duration_milliseconds: Math.round(waits.ms),
    }),
  };
}

/** @throws Error if the server only follows another one */
export async function assertPrimary(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (rows[0]?.standby !== false) throw new Error('the server is a standby, and accepts no writes');
}

function refuseStandby(client: pg.ClientBase, done: (error?: Error) => void): void {
  assertPrimary(client).then(() => done(), done);
}

/** What a connection is worth after a statement failed; undefined: nothing changed. */
type Loss =
  /** It is closed, and not used again. */
  | 'closed'
  /** The same, and connections that were opened before it may be lost as well: the server did not answer. */
  | 'unanswered';

/** SQLSTATE of a statement that the server ended: by its time limit, or by an administrator. */
const CANCELED = '57014';

/**
 * A connection of a pool, until it is released. One whose statement ended by time, or without an answer, fails each further
 * statement at once, and is closed when it is released: a statement that follows on it would wait for the one that hangs.
 *
 * @param onLoss called at most once
 */
function guardedClient(client: pg.PoolClient, onLoss: (loss: Loss) => void): PostgresPoolClient {
  let lost: Error | undefined;
  function query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(text: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('rows are not streamed');
    return run(text, parameters);
  }
  const run = async (text: string, parameters: readonly unknown[]) => {
    if (lost !== undefined) throw lost;
    try {
      return await client.query(text, [...parameters]);
    } catch (error) {
      const loss = lossOf(error);
      if (loss !== undefined && lost === undefined) {
        lost = new Error('the connection to the database was closed after a statement without an answer', {
          cause: error,
        });
        onLoss(loss);
      }
      throw error;
    }
  };
  return { query, release: () => client.release(lost) };
}

function lossOf(error: unknown): Loss | undefined {
  if (!(error instanceof pg.DatabaseError)) return 'unanswered';
  return error.code === CANCELED || error.severity === 'FATAL' ? 'closed' : undefined;
}

/** Closes it without a word to the server, which may not answer. */
export function destroyConnection(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy();
}
