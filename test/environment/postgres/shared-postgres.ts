import { askOnDemand, type OnDemandService, serveOnDemand } from '../on-demand.ts';
import { findPostgres } from './postgres-programs.ts';
import { startPostgres } from './postgres-server.ts';

const VARIABLE = 'PROVIDER_KYMA_TEST_POSTGRES';

/** Starts a Postgres server for all test files of the run when the first one asks for it; undefined where there is none. */
export const servePostgres = (): Promise<OnDemandService> =>
  serveOnDemand<string | null>(VARIABLE, async () => {
    const programs = await findPostgres();
    if (programs === undefined) return { value: null, stop: async () => undefined };
    // Once a minute it would start a process for each database of each test.
    const { url, close } = await startPostgres(programs, ['autovacuum=off']);
    return { value: url, stop: close };
  });

/** The URL of its database `postgres`. Undefined where there is no Postgres, and outside of a run of integration tests. */
export const sharedPostgres = async (): Promise<string | undefined> =>
  (await askOnDemand<string | null>(VARIABLE)) ?? undefined;
