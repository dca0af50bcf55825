import type { Transaction } from 'kysely';
import type { Database } from './database.ts';
import type { Schema } from './schema/schema.ts';

/** Where statements run: the database, or a transaction that has begun already. */
export type Store = Pick<Database, 'queries' | 'transaction'>;

/** What runs in it is part of the transaction: nothing is committed or repeated on its own. */
export function joinTransaction(tx: Transaction<Schema>): Store {
  return { queries: tx, transaction: (work) => work(tx) };
}
