/**
 * The database of the mothership, the only place of its data. Postgres serves any number of processes; PGlite, the same
 * Postgres as WebAssembly in a folder, serves one.
 */
import { channel } from 'node:diagnostics_channel';
import { type Kysely, type KyselyPlugin, sql, type Transaction } from 'kysely';
import type { Schema } from './schema.ts';

/** Locks over all processes: of the key file, and of maintenance that one process does for all. */
export type LockName = 'encryption keys' | 'scheduler' | 'bookkeeper' | 'cleaner';

/** What runs statements: the database, or a transaction of it. */
export type Queries = Kysely<Schema> | Transaction<Schema>;

/** Counters of the connection pool, by the names of the metric `db_pool_stats`. */
export interface PoolStats {
  readonly in_use: number;
  readonly idle: number;
  readonly open_connections: number;
  readonly max_open_connections: number;
  readonly wait_count: number;
  readonly wait_duration_milliseconds: number;
  readonly max_idle_closed: number;
  readonly max_idle_time_closed: number;
  readonly max_lifetime_closed: number;
}

/** A notification; `reconnected` when some may have been missed, and with `topic` undefined then. */
export interface Notification {
  readonly topic: Topic | undefined;
  readonly payload: string;
}

export interface Database {
  /** For statements outside a transaction. */
  readonly queries: Kysely<Schema>;
  readonly kind: 'postgres' | 'embedded';
  /**
   * Runs `work` in a transaction, again from its start when the database asks for that (serialization failure, deadlock):
   * up to 5 times, with 25 to 350 ms between. It reads what is committed: rows are locked explicitly where it matters. `work` must have no effect outside the transaction.
   */
  transaction<T>(work: (tx: Transaction<Schema>) => Promise<T>): Promise<T>;
  /**
   * Calls `onNotification` for each notification of any topic, and with an undefined topic whenever some may have been
   * missed. Opens its connection on first use and again after failures. Returns the function that stops it.
   */
  listen(onNotification: (notification: Notification) => void): () => void;
  /**
   * Runs `work` while this process has the lock of the name, which one process on the database has at a time; waits for it without
   * limit. A holder that ends or hangs loses it within seconds: the signal of its work is aborted then, and it is when `signal` is.
   */
  withLock<T>(name: LockName, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Fails when the database does not answer. */
  ping(): Promise<void>;
  stats(): PoolStats;
  /** Resolves when all connections are closed; those that do not end within 5 s are cut. */
  close(): Promise<void>;
}

/** The text with which `unread` begins. */
export const UNREAD = '/* unread */';
/**
 * SQL: begins a statement whose result is not read. In a transaction it is sent together with the next one: each round trip waits for its
 * turn of the event loop. Its error is that of the next statement, or of the commit.
 */
export const unread = sql.raw(UNREAD);

/** Notifies all processes when the transaction commits; at once outside of one. */
export async function notify(queries: Queries, topic: Topic, payload: string): Promise<void> {
  await sql`${unread} select pg_notify(${topic}, ${payload})`.execute(queries);
}

/** A statement that is about to be sent. */
export interface ObservedStatement {
  /** As Kysely names it: `InsertQueryNode`, `RawNode`. */
  readonly kind: string;
}

/** A channel of `node:diagnostics_channel` on which each statement is published if it has subscribers, as in tests. */
export const observedStatements = channel('provider-kyma.statement');

/** Publishes statements, and changes nothing. */
export const observingStatements: KyselyPlugin = {
  transformQuery: ({ node }) => {
    if (observedStatements.hasSubscribers)
      observedStatements.publish({ kind: node.kind } satisfies ObservedStatement);
    return node;
  },
  transformResult: async ({ result }) => result,
};

/** Where statements run: what repositories need of the database. */
export type Store = Pick<Database, 'queries' | 'transaction'>;

/** Channels of LISTEN/NOTIFY. A notification is a hint: it may be lost, and intervals remain as backstop. */
export const TOPICS = [
  /** A cluster was registered, changed or marked for deletion; with the runtime id. */
  'mothership_clusters',
  /** Operations can be claimed: created, released, or their component can be asked again; with the scheduling id. */
  'mothership_operations',
] as const;

export type Topic = (typeof TOPICS)[number];

/** Postgres stores no NUL, and no half of a surrogate pair in `jsonb`. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The text with U+FFFD for what cannot be stored. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** JSON text of a value whose strings come from others, for a `jsonb` column. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === 'string' ? storable(member) : member));
