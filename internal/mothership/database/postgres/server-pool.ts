import pg from 'pg';
import type { PoolStats } from '../database.ts';

export interface ServerPoolOptions {
  /** The servers of one database, each with all settings of its pool. */
  readonly servers: readonly pg.PoolConfig[];
  /** Called for connections that fail while nothing uses them. */
  onError(error: Error): void;
}

/** A pool as kysely uses it. */
export interface ServerPool {
  connect(): Promise<pg.PoolClient>;
  end(): Promise<void>;
  stats(): Pick<
    PoolStats,
    'in_use' | 'idle' | 'open_connections' | 'wait_count' | 'wait_duration_milliseconds'
  >;
}

/**
 * One pool for each server of a database. A connection is to the server of the last one, or else to the next that answers and
 * accepts writes. A server that is promoted is found by the first statement that fails on the old one.
 */
export function createServerPool({ servers, onError }: ServerPoolOptions): ServerPool {
  const hasStandbys = servers.length > 1;
  const pools = servers.map((server) => {
    const pool = new pg.Pool(hasStandbys ? { ...server, verify: refuseStandby } : server);
    pool.on('error', onError);
    // The pool does not listen to connections in use: their error would end the process. Its statement fails as well.
    pool.on('connect', (client) => client.on('error', () => undefined));
    return pool;
  });
  const waits = { count: 0, ms: 0 };
  let current = 0;
  let ending: Promise<unknown> | undefined;
  const sum = (count: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + count(pool), 0);

  const connectAny = async () => {
    const errors: unknown[] = [];
    for (const pool of [...pools.slice(current), ...pools.slice(0, current)]) {
      try {
        const client = await pool.connect();
        current = pools.indexOf(pool);
        return client;
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
      ending ??= Promise.all(pools.map((pool) => pool.end()));
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
