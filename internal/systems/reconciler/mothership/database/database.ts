/**
 * The database of the mothership, the only place of its data. Postgres serves any number of processes; PGlite, the same
 * Postgres as WebAssembly in a folder, serves one.
 */
import type { Kysely, Transaction } from 'kysely';
import type { Schema } from './schema/schema.ts';
import type { Topic } from './topics.ts';

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
