import type { Database } from './database.ts';

/** Where statements run: what repositories need of the database. */
export type Store = Pick<Database, 'queries' | 'transaction'>;
