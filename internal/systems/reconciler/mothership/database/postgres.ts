import {
  Kysely,
  type PostgresCursor,
  PostgresDialect,
  type PostgresPoolClient,
  type PostgresQueryResult,
  sql,
} from 'kysely';
import pg from 'pg';
import { abandonable } from '../../../../framework/base/concurrency/abandonable.ts';
import { type Clock, type Deps, messageOf, ProviderError, sleep } from '../../../../framework/base/index.ts';
import {
  type Database,
  type Notification,
  observingStatements,
  type PoolStats,
  TOPICS,
  type Topic,
  UNREAD,
} from './database.ts';
import { retryTransaction, sqlState } from './retry-transaction.ts';
import { SCHEMA, type Schema } from './schema.ts';

export interface PostgresOptions extends Pick<Deps, 'clock' | 'random' | 'log'> {
  readonly connection: PostgresConnection;
  /** Other servers of the same database. Connections go to the one that accepts writes: that which was promoted last. */
  readonly standbys?: readonly PostgresConnection[];
  /** Connections of this process, besides the one that listens. Default 100, as the Go program has it. */
  readonly maxConnections?: number;
  /** Time after which an idle connection is closed, in ms; default 10 minutes. */
  readonly maxIdleMs?: number;
  /** Time after which a connection is replaced, in ms; default 10 minutes. */
  readonly maxLifetimeMs?: number;
  /** Limit of one statement, in ms; default one minute, 0: none, for migrations. */
  readonly statementTimeoutMs?: number;
}

/** Where the database is: a URL, or its parts. */
type PostgresConnection = Pick<
  pg.ClientConfig,
  'connectionString' | 'host' | 'port' | 'database' | 'user' | 'password' | 'ssl' | 'options'
>;

/** Time to connect, or to wait for a connection of the pool, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 60_000;
/** The client gives a statement up so much later than the server, in ms; at most after twice its limit. */
const ANSWER_DELAY_MS = 5000;
/** A transaction whose process hangs holds its locks so long, in ms. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/** Opens a pool of connections. Nothing is connected before the first statement. */
export function openPostgres(options: PostgresOptions): Database {
  const { log, connection, standbys = [], maxConnections = 100 } = options;
  const { maxIdleMs = 600_000, maxLifetimeMs = 600_000 } = options;
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS } = options;
  const clients = [connection, ...standbys].map(
    (server): pg.ClientConfig => ({
      ...server,
      application_name: 'provider-kyma mothership',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      options: [server.options, `-c search_path=${SCHEMA}`].join(' ').trim(),
      types: { getTypeParser },
    }),
  );
  const pool = createServerPool({
    clock: options.clock,
    servers: clients.map((client) => ({
      ...client,
      max: maxConnections,
      idleTimeoutMillis: maxIdleMs,
      maxLifetimeSeconds: Math.ceil(maxLifetimeMs / 1000),
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + Math.min(ANSWER_DELAY_MS, statementTimeoutMs),
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    })),
    // A restart of the server ends idle connections; the next query opens another.
    onError: (error) => log.error('a database connection failed', { error: messageOf(error) }),
  });
  const queries = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    plugins: [observingStatements],
  });
  const listener = createListener({ ...options, clients });
  const locks = createSessionLocks({ ...options, clients });

  return {
    kind: 'postgres',
    queries,
    transaction: (work) =>
      retryTransaction(
        () => queries.transaction().setIsolationLevel('read committed').execute(work),
        options,
      ),
    listen: listener.listen,
    withLock: locks.withLock,
    ping: async () => {
      await sql`select 1`.execute(queries);
    },
    stats: () => ({
      ...pool.stats(),
      max_open_connections: maxConnections,
      max_idle_closed: 0,
      max_idle_time_closed: 0,
      max_lifetime_closed: 0,
    }),
    close: async () => {
      const closing = [listener.close(), locks.close()];
      // Also when no statement was ever run, and kysely therefore has no driver yet.
      await queries.destroy();
      await Promise.all([pool.end(), ...closing]);
    },
  };
}

const { INT8 } = pg.types.builtins;

/** A 64-bit number is read as a number: sequences and counters stay below 2^53. */
const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (id: number, format?: 'text' | 'binary') =>
  id === INT8 ? Number : pg.types.getTypeParser(id, format as 'text');

interface ListenerOptions extends Pick<Deps, 'clock' | 'log'> {
  /** The servers of the database. */
  readonly clients: readonly pg.ClientConfig[];
}

interface Listener {
  readonly listen: Database['listen'];
  close(): Promise<void>;
}

/** Delay before the next connection, in ms. */
const RECONNECT_MS = 1000;
/** Interval at which the connection is checked, in ms: a broken path may end without a sign. */
const CHECK_MS = 30_000;

/** One connection that listens to all topics, while there are subscribers. */
function createListener({ clients, clock, log }: ListenerOptions): Listener {
  const receivers = new Set<(notification: Notification) => void>();
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  const tell = (notification: Notification) => {
    for (const receive of receivers) receive(notification);
  };

  /** Listens on a server until the connection ends. */
  const session = async (config: pg.ClientConfig) => {
    const client = new pg.Client({ ...config, query_timeout: CHECK_MS });
    const ended = Promise.withResolvers<void>();
    client.on('error', (error) => {
      log.info('the listening connection failed', { error: messageOf(error) });
      ended.resolve();
    });
    client.on('end', () => ended.resolve());
    client.on('notification', ({ channel, payload = '' }) => tell({ topic: topicOf(channel), payload }));
    const stop = () => ended.resolve();
    closing.signal.addEventListener('abort', stop, { once: true });
    let cancelCheck = () => {};
    try {
      await client.connect();
      await assertPrimary(client);
      await client.query(TOPICS.map((topic) => `listen ${topic}`).join('; '));
      tell({ topic: undefined, payload: '' });
      const check = () => {
        client.query('select 1').catch(stop);
        cancelCheck = clock.after(CHECK_MS, check);
      };
      cancelCheck = clock.after(CHECK_MS, check);
      await ended.promise;
    } finally {
      cancelCheck();
      closing.signal.removeEventListener('abort', stop);
      const cancelEnd = clock.after(CLOSE_TIMEOUT_MS, () => destroyConnection(client));
      await client.end().catch(() => undefined);
      cancelEnd();
    }
  };

  const run = async () => {
    while (!closing.signal.aborted) {
      for (const config of clients) {
        if (closing.signal.aborted) return;
        await session(config).catch((error: unknown) =>
          log.info('cannot listen to the database', { error: messageOf(error) }),
        );
      }
      await sleep(clock, RECONNECT_MS, closing.signal).catch(() => undefined);
    }
  };

  return {
    listen: (onNotification) => {
      const receive = (notification: Notification) => onNotification(notification);
      receivers.add(receive);
      running ??= run();
      return () => receivers.delete(receive);
    },
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

const topicOf = (channel: string): Topic | undefined => TOPICS.find((topic) => topic === channel);

interface SessionLocks {
  readonly withLock: Database['withLock'];
  /** Gives up all locks, and waits for the ends of their connections. */
  close(): Promise<void>;
}

/** Interval in which the holder of a lock uses its connection, in ms. */
const LOCK_CHECK_MS = 5000;
/** The server ends the session of a holder that does not, and so gives the lock to the next process, in ms. */
const IDLE_MS = 20_000;

/**
 * Advisory locks, each of a connection of its own: the server gives a lock to the next process when the connection of its holder
 * ends, or is not used. Sessions that wait for a lock are not idle.
 */
function createSessionLocks({
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
        await assertPrimary(client);
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
      const cancel = clock.after(LOCK_CHECK_MS, () => destroyConnection(client));
      client
        .query('select 1')
        .catch(lose)
        .finally(() => {
          cancel();
          if (!isOver && !signal.aborted) cancelCheck = clock.after(LOCK_CHECK_MS, check);
        });
    };
    try {
      const locked = client.query('select pg_advisory_lock(hashtextextended($1, 13))', [name]);
      locked.catch(() => undefined);
      await abandonable(locked, signal);
      cancelCheck = clock.after(LOCK_CHECK_MS, check);
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
const CLOSE_TIMEOUT_MS = 5000;
/** SQLSTATE of a connection beyond what server, database or user may have. */
const TOO_MANY = '53300';
/** A pool that has reached such a limit opens no more connections for this time, in ms. */
const FULL_MS = 10_000;

/**
 * Takes a connection of the pool. When the server has no more of them, those of this pool are shared: its users wait for one, as in a pool
 * of that size.
 */
async function connectWithin(pool: pg.Pool, onFull: () => void): Promise<pg.PoolClient> {
  for (;;) {
    try {
      return await pool.connect();
    } catch (error) {
      if (sqlState(error) !== TOO_MANY || pool.totalCount === 0) throw error;
      pool.options.max = Math.min(pool.options.max, pool.totalCount);
      onFull();
    }
  }
}

/**
 * One pool for each server of a database. A connection is to the server of the last one, or else to the next that answers and
 * accepts writes. A server that is promoted is found by the first statement that fails on the old one: also behind a single address, which
 * may lead to a standby for a while. After a statement without an answer, or one that a server refuses since it accepts no writes, no
 * connection is used again that was opened before: the path to the server may be broken without a sign, or lead to the former primary.
 */
export function createServerPool({ servers, clock, onError }: ServerPoolOptions): ServerPool {
  /** Open connections, with their ends. */
  const open = new Map<pg.PoolClient, Promise<void>>();
  const suspects = new WeakSet<pg.PoolClient>();
  const pools = servers.map((server) => {
    const pool = new pg.Pool({ ...server, pipeline: true, verify: refuseStandby });
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

  let cancelGrowth = () => {};
  /** The server may have more connections later: of what ended elsewhere. */
  const growLater = () => {
    cancelGrowth();
    cancelGrowth = clock.after(FULL_MS, () => {
      for (const [n, pool] of pools.entries()) pool.options.max = servers[n]?.max ?? pool.options.max;
    });
  };

  const connectSound = async (pool: pg.Pool) => {
    for (;;) {
      const client = await connectWithin(pool, growLater);
      if (!suspects.has(client)) return client;
      destroyConnection(client);
      client.release(true);
    }
  };

  const close = async () => {
    cancelGrowth();
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
          if (loss === 'others-too') for (const known of open.keys()) suspects.add(known);
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
async function assertPrimary(client: pg.ClientBase): Promise<void> {
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
  /** The same, and connections that were opened before it may be lost as well: the server did not answer, or is no primary any more. */
  | 'others-too';

/** SQLSTATE of a statement that the server ended: by its time limit, or by an administrator. */
const CANCELED = '57014';
/** SQLSTATE of a write on a server that accepts none: `read_only_sql_transaction`. */
const READ_ONLY = '25006';

/** What is known of a statement that was not sent yet. */
const NO_RESULT = { command: 'SELECT', rowCount: 0, rows: [] } as const;

/**
 * A connection of a pool, until it is released. One whose statement ended by time, or without an answer, or to a server that accepts no
 * writes, fails each further statement at once, and is closed when it is released: a statement that follows on it would wait for the one
 * that hangs, or be refused as well. The begin of a transaction, and statements whose result is not read, are sent with the next one.
 *
 * @param onLoss called at most once
 */
function guardedClient(client: pg.PoolClient, onLoss: (loss: Loss) => void): PostgresPoolClient {
  let lost: Error | undefined;
  let isInTransaction = false;
  let unsent: { readonly text: string; readonly parameters: readonly unknown[] }[] = [];
  function query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query(text: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new TypeError('rows are not streamed');
    return run(text, parameters);
  }
  const run = async (text: string, parameters: readonly unknown[]) => {
    if (lost !== undefined) throw lost;
    const isBegin = text.startsWith('start transaction');
    if (isBegin || text === 'commit' || text === 'rollback') isInTransaction = isBegin;
    if (isBegin || (isInTransaction && text.startsWith(UNREAD))) {
      unsent.push({ text, parameters });
      return NO_RESULT;
    }
    const statements = [...(text === 'rollback' ? [] : unsent), { text, parameters }];
    unsent = [];
    try {
      // They are answered in their order: the first error is the cause of the others.
      const results = await Promise.all(
        statements.map((each) => client.query(each.text, [...each.parameters])),
      );
      return results.at(-1) ?? NO_RESULT;
    } catch (error) {
      const loss = lossOf(error);
      if (loss !== undefined && lost === undefined) {
        lost = new Error(
          `the connection to the database was closed, since a statement failed: ${messageOf(error)}`,
          {
            cause: error,
          },
        );
        onLoss(loss);
      }
      throw error;
    }
  };
  return { query, release: () => client.release(lost) };
}

function lossOf(error: unknown): Loss | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code === READ_ONLY) return 'others-too';
  return error.code === CANCELED || error.severity === 'FATAL' ? 'closed' : undefined;
}

/** Closes it without a word to the server, which may not answer. */
function destroyConnection(client: pg.ClientBase): void {
  if (client instanceof pg.Client) client.connection.stream.destroy();
}
