import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';

/** What a connection is worth after a statement failed; undefined: nothing changed. */
export type Loss =
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
export function guardedClient(client: pg.PoolClient, onLoss: (loss: Loss) => void): PostgresPoolClient {
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
