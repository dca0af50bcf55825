import { inParallel } from '../../../internal/framework/base/concurrency/in-parallel.ts';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import { urlServers } from '../../../internal/systems/reconciler/mothership/config/database-settings.ts';
import type { Database } from '../../../internal/systems/reconciler/mothership/database/database.ts';
import { migrate } from '../../../internal/systems/reconciler/mothership/database/migrations.ts';
import { openEmbedded } from '../../../internal/systems/reconciler/mothership/database/pglite.ts';
import { openPostgres } from '../../../internal/systems/reconciler/mothership/database/postgres.ts';
import { guardForeignRows, makeForeignRows } from '../../guards/foreign-rows.ts';
import { findPostgres, NO_POSTGRES } from './postgres-programs.ts';
import { createDatabase, dropDatabase, type PostgresServer, startPostgres } from './postgres-server.ts';
import { sharedPostgres } from './shared-postgres.ts';

/**
 * Databases for the tests of a file: on a Postgres server, or embedded ones where there is no Postgres. Statements that change rows of
 * other clusters are found on a server (test/guards/foreign-rows.ts).
 */
export interface TestDatabases<Server = Pick<PostgresServer, 'createDatabase'>> {
  /** Undefined where there is no Postgres; tests with several processes need it. */
  readonly server: Server | undefined;
  /** A database with the schema, closed by `close`. */
  open(): Promise<Database>;
  /** An empty database, closed by `close`. @param maxConnections default 30; an embedded one has one in any case */
  openEmpty(maxConnections?: number): Promise<Database>;
  /** Another pool on a database, as another process has it. */
  connect(url: string): Database;
  close(): Promise<void>;
}

/** On the server that all test files of a run share. */
export async function startTestDatabases(): Promise<TestDatabases> {
  const shared = await sharedPostgres();
  if (shared === undefined) return startOwnDatabases();
  const { url, template } = shared;
  const created: string[] = [];
  const create = async (from?: string) => {
    const database = await createDatabase(url, from);
    created.push(database);
    return database;
  };
  // What is left until the end of the run is gigabytes, which take a minute to remove.
  const drop = () => inParallel(created, 4, (database) => dropDatabase(url, database));
  const databases = databasesOn({ createDatabase: () => create() }, drop);
  return { ...databases, open: async () => databases.connect(await create(template)) };
}

/** On a server of their own, for tests that restart it. */
export async function startOwnDatabases(): Promise<TestDatabases<PostgresServer>> {
  const programs = await findPostgres();
  if (programs === undefined) process.stderr.write(`${NO_POSTGRES}\n`);
  const server = programs && (await startPostgres(programs));
  return databasesOn(server, async () => server?.close());
}

function databasesOn<Server extends Pick<PostgresServer, 'createDatabase'>>(
  server: Server | undefined,
  closeServer: () => Promise<unknown>,
): TestDatabases<Server> {
  guardForeignRows();
  const opened: Database[] = [];
  const keep = (database: Database) => {
    opened.push(database);
    return database;
  };
  const connect = (url: string, maxConnections = 30) =>
    keep(openPostgres({ ...createDeps(), ...urlServers(url), maxConnections }));
  const openEmpty = async (maxConnections?: number) =>
    server === undefined
      ? keep(await openEmbedded(createDeps()))
      : connect(await server.createDatabase(), maxConnections);
  return {
    server,
    connect: (url) => connect(url),
    openEmpty,
    open: async () => {
      const database = await openEmpty();
      await migrate(database.queries);
      if (database.kind === 'postgres') await makeForeignRows(database.queries);
      return database;
    },
    close: async () => {
      await Promise.all(opened.map((database) => database.close()));
      await closeServer();
    },
  };
}

/** Says that a test did not run, since it needs a server. */
export function leftOut(test: string): void {
  process.stderr.write(`left out without Postgres: ${test}\n`);
}
