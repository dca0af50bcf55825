import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { type Deps, ProviderError, wrap } from '../../../../framework/base/index.ts';
import { type Database, type LockName, type Notification, observingStatements, TOPICS } from './database.ts';
import { retryTransaction } from './retry-transaction.ts';
import { SCHEMA, type Schema } from './schema.ts';

interface EmbeddedOptions extends Pick<Deps, 'clock' | 'random'> {
  /** Folder of the database; made if there is none. Undefined: in memory. */
  readonly folder?: string;
}

/**
 * Opens the embedded database. It needs about 100 MB of memory, and its code is loaded only here.
 *
 * @throws terminal if another process has the folder open: two would destroy it
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Database> {
  const unlock = options.folder === undefined ? undefined : await lockFolder(options.folder);
  try {
    return await open(options, unlock);
  } catch (error) {
    unlock?.();
    throw wrap(error, `cannot open the embedded database ${options.folder ?? 'in memory'}`);
  }
}

async function open({ folder, ...deps }: EmbeddedOptions, unlock?: () => void): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite');
  const pglite = await PGlite.create(folder, { parsers: { 20: Number } });
  const queries = new Kysely<Schema>({ dialect: pgliteDialect(pglite), plugins: [observingStatements] });
  await sql`set search_path to ${sql.id(SCHEMA)}`.execute(queries);
  const locks = new Map<LockName, Promise<void>>();
  const receivers = new Set<(notification: Notification) => void>();
  for (const topic of TOPICS) {
    await pglite.listen(topic, (payload) => {
      // After the statement that commits has returned to its caller.
      setImmediate(() => {
        for (const receive of receivers) receive({ topic, payload });
      });
    });
  }

  return {
    kind: 'embedded',
    queries,
    transaction: (work) =>
      retryTransaction(() => queries.transaction().setIsolationLevel('read committed').execute(work), deps),
    listen: (onNotification) => {
      const receive = (notification: Notification) => onNotification(notification);
      receivers.add(receive);
      return () => receivers.delete(receive);
    },
    withLock: (name, work, signal = new AbortController().signal) => {
      // One process has the folder: the lock is one among its callers.
      const before = locks.get(name) ?? Promise.resolve();
      const running = before.then(() => {
        signal.throwIfAborted();
        return work(signal);
      });
      locks.set(
        name,
        running.then(
          () => undefined,
          () => undefined,
        ),
      );
      return running;
    },
    ping: async () => {
      await sql`select 1`.execute(queries);
    },
    stats: () => ({
      in_use: 1,
      idle: 0,
      open_connections: 1,
      max_open_connections: 1,
      wait_count: 0,
      wait_duration_milliseconds: 0,
      max_idle_closed: 0,
      max_idle_time_closed: 0,
      max_lifetime_closed: 0,
    }),
    close: async () => {
      receivers.clear();
      await queries.destroy();
      unlock?.();
    },
  };
}

const FILE = 'provider-kyma.lock';
/** SQLite: another connection has the lock. */
const BUSY = 5;

/**
 * Makes the folder and locks it until the returned function is called or this process ends, however it ends. Every process sees the
 * lock that can open a file in the folder, by whatever path and in whatever namespace: it is the file lock of an empty SQLite
 * database, which Node has no other call for.
 */
async function lockFolder(folder: string): Promise<() => void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Only those who use the embedded database load it.
  const { DatabaseSync } = await import('node:sqlite');
  const lock = new DatabaseSync(join(folder, FILE), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    if (!isBusy(cause)) throw cause;
    throw new ProviderError('terminal', `another process has the folder ${folder} open`, { cause });
  }
  return () => lock.close();
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === BUSY;

/**
 * Kysely on PGlite. It has one session, so statements and transactions take turns: the driver hands out the one connection
 * to one user at a time, in the order of their requests.
 */
function pgliteDialect(pglite: PGlite): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(pglite),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

function createDriver(pglite: PGlite): Driver {
  let last: Promise<void> = Promise.resolve();
  const releases = new WeakMap<DatabaseConnection, () => void>();
  const run = (connection: DatabaseConnection, text: string) =>
    connection.executeQuery(CompiledQuery.raw(text));

  return {
    init: async () => undefined,
    acquireConnection: async () => {
      const free = Promise.withResolvers<void>();
      const before = last;
      last = free.promise;
      await before;
      const connection: DatabaseConnection = {
        executeQuery: async <R>({ sql, parameters }: CompiledQuery) => {
          const { rows, affectedRows = 0 } = await pglite.query<R>(sql, [...parameters]);
          return { rows, numAffectedRows: BigInt(affectedRows) };
        },
        streamQuery: () => {
          throw new TypeError('rows are not streamed');
        },
      };
      releases.set(connection, free.resolve);
      return connection;
    },
    beginTransaction: async (connection, { isolationLevel = 'read committed' }) => {
      await run(connection, `start transaction isolation level ${isolationLevel}`);
    },
    commitTransaction: async (connection) => {
      await run(connection, 'commit');
    },
    rollbackTransaction: async (connection) => {
      await run(connection, 'rollback');
    },
    releaseConnection: async (connection) => releases.get(connection)?.(),
    destroy: () => pglite.close(),
  };
}
