import type { PGlite } from '@electric-sql/pglite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';

/**
 * Kysely on PGlite. It has one session, so statements and transactions take turns: the driver hands out the one connection
 * to one user at a time, in the order of their requests.
 */
export function pgliteDialect(pglite: PGlite): Dialect {
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
