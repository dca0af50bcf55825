import { sql } from 'kysely';
import type { Queries } from './database.ts';
import type { Topic } from './topics.ts';

/** Notifies all processes when the transaction commits; at once outside of one. */
export async function notify(queries: Queries, topic: Topic, payload: string): Promise<void> {
  await sql`select pg_notify(${topic}, ${payload})`.execute(queries);
}
