import { expect } from '@jest/globals';
import { sql } from 'kysely';
import type { Database } from '../../../internal/systems/reconciler/mothership/database/database.ts';
import { migrate } from '../../../internal/systems/reconciler/mothership/database/migrations.ts';
import type { Settings } from '../../../internal/systems/reconciler/mothership/model/settings.ts';
import { eventually } from '../eventually.ts';
import type { PostgresServer } from '../postgres/postgres-server.ts';
import type { TestDatabases } from '../postgres/test-databases.ts';
import { type ComponentReconciler, startComponentReconciler } from './component-reconciler.ts';
import type { ProcessInput } from './mothership-process.ts';
import type { MothershipProcess, MothershipProcesses } from './processes.ts';
import { repositorySteps } from './repository-steps.ts';
import { startCallbackServer } from './test-mothership.ts';

/**
 * A database with a component reconciler and a server for callbacks, for motherships in other processes. Undefined without
 * Postgres.
 *
 * @param urlOf the URL that is used for a database
 */
export async function openProcesses<Server extends Pick<PostgresServer, 'createDatabase'>>(
  { server, connect }: Pick<TestDatabases<Server>, 'server' | 'connect'>,
  { start }: MothershipProcesses,
  behave?: Parameters<typeof startComponentReconciler>[0],
  urlOf: (url: string) => string = (url) => url,
) {
  if (server === undefined) return undefined;
  const databaseUrl = urlOf(await server.createDatabase());
  const database = connect(databaseUrl);
  await migrate(database.queries);
  const reconciler = await startComponentReconciler(behave);
  const callbacks = await startCallbackServer();
  const processes = new Set<MothershipProcess>();
  const settings: Partial<Settings> = {
    reconcilers: { base: reconciler.url },
    callbackBaseUrl: callbacks.url,
    workers: 20,
    bookkeeperIntervalMs: 500,
    // Long campaigns take longer than the default interval, and count the runs.
    reconcileIntervalMs: 24 * 3_600_000,
  };
  const steps = repositorySteps(database, settings);
  callbacks.serve(steps);
  return {
    ...steps,
    server,
    databaseUrl,
    reconciler,
    start: async (
      changes: Partial<Settings> = {},
      input: Omit<ProcessInput, 'databaseUrl' | 'settings'> = {},
    ) => {
      const started = await start({ databaseUrl, settings: { ...settings, ...changes }, ...input });
      processes.add(started);
      return started;
    },
    processes,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...processes].map((process) => process.kill()));
      await reconciler.close();
      await callbacks.close();
      await database.close();
    },
  };
}

/** Waits until so many clusters are registered, and all are ready. */
export const allReady = (database: Database, count: number, signal?: AbortSignal) =>
  eventually(
    async () => {
      const { rows } = await sql`select status, count(*) as n from runtimes group by 1 order by 1`.execute(
        database.queries,
      );
      expect(rows).toEqual([{ status: 'ready', n: count }]);
    },
    { timeoutMs: 120_000, signal },
  );

/** Tasks that came more than once, without those that came again after `afterMs`. */
export function doubles({ received }: ComponentReconciler, afterMs = Number.POSITIVE_INFINITY): string[] {
  const last = new Map<string, number>();
  return received.flatMap(({ task: { correlationID, component }, at }) => {
    const before = last.get(correlationID);
    last.set(correlationID, at);
    return before !== undefined && at - before < afterMs ? [`${component} of ${correlationID}`] : [];
  });
}

/** Each cluster has had one run, with each status once. */
export async function oneRunEach(database: Database): Promise<void> {
  const { rows } = await sql`
    select (select count(*) from reconciliations) - (select count(*) from runtimes) as runs,
      (select count(*) from cluster_statuses) - 3 * (select count(*) from runtimes) as statuses,
      (select count(*) from operations where state <> 'done') as open
  `.execute(database.queries);
  expect(rows).toEqual([{ runs: 0, statuses: 0, open: 0 }]);
}
