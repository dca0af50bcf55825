import { createDeps } from '../../../internal/framework/base/deps.ts';
import { urlServers } from '../../../internal/systems/reconciler/mothership/config/database-settings.ts';
import { migrate } from '../../../internal/systems/reconciler/mothership/database/migrations.ts';
import { openPostgres } from '../../../internal/systems/reconciler/mothership/database/postgres.ts';
import { makeForeignRows } from '../../guards/foreign-rows.ts';
import { askOnDemand, type OnDemandService, serveOnDemand } from '../on-demand.ts';
import { findPostgres } from './postgres-programs.ts';
import { startPostgres } from './postgres-server.ts';

const VARIABLE = 'PROVIDER_KYMA_TEST_POSTGRES';

/** The server that all test files of a run share. */
export interface SharedPostgres {
  /** Of the database `postgres`. */
  readonly url: string;
  /** Name of a database with the schema, to be copied: a migration for each test takes three times the CPU time. */
  readonly template: string;
}

/** Starts a Postgres server for all test files of the run when the first one asks for it; undefined where there is none. */
export const servePostgres = (): Promise<OnDemandService> =>
  serveOnDemand<SharedPostgres | null>(VARIABLE, async () => {
    const programs = await findPostgres();
    if (programs === undefined) return { value: null, stop: async () => undefined };
    // Once a minute it would start a process for each database of each test.
    const { url, createDatabase, close } = await startPostgres(programs, ['autovacuum=off']);
    const template = await createDatabase();
    const database = openPostgres({ ...createDeps(), ...urlServers(template) });
    await migrate(database.queries);
    await makeForeignRows(database.queries);
    await database.close();
    return { value: { url, template: new URL(template).pathname.slice(1) }, stop: close };
  });

/** Undefined where there is no Postgres, and outside of a run of integration tests. */
export const sharedPostgres = async (): Promise<SharedPostgres | undefined> =>
  (await askOnDemand<SharedPostgres | null>(VARIABLE)) ?? undefined;
