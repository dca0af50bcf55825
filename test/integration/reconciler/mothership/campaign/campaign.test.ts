/**
 * Random registrations, changes, deletions, callbacks, stops, kills, pauses of rollouts, ends of leases, and connections that are cut or
 * hang, in three motherships on one Postgres, also at the same moment. `make test-faults ARGS='--only mothership-model'` runs it at length.
 */
import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import { defaultSettings } from '../../../../../internal/systems/reconciler/mothership/model/settings.ts';
import { markOrphans } from '../../../../../internal/systems/reconciler/mothership/reconciliations/end-attempts.ts';
import { closeReconciliations } from '../../../../../internal/systems/reconciler/mothership/runnables/bookkeeper.ts';
import { cleanReconciliations } from '../../../../../internal/systems/reconciler/mothership/runnables/cleaner.ts';
import { progressOf, propertyCampaign } from '../../../../campaign/campaign.ts';
import { repositorySteps } from '../../../../environment/mothership/repository-steps.ts';
import { openNetworkPath } from '../../../../environment/network-path.ts';
import { createDatabase } from '../../../../environment/postgres/postgres-server.ts';
import { leftOut, startOwnDatabases } from '../../../../environment/postgres/test-databases.ts';
import { forFile } from '../../../harness/for-file.ts';
import {
  atTheirReconciler,
  callBack,
  elapse,
  LIMITED,
  limitsOfComponents,
  type Model,
  PROCESSES,
  type Real,
  register,
  resumeAll,
  send,
  tolerant,
  untilNotCut,
} from './actions.ts';
import { on, steps } from './steps.ts';

const campaign = propertyCampaign(10);
jest.setTimeout(300_000 + campaign.numRuns * 20_000);

const databases = forFile(startOwnDatabases);

/** One or more steps at the same moment, then what must hold at any time. */
const command = fc.array(steps, { minLength: 1, maxLength: 4 }).map(
  (together): fc.AsyncCommand<Model, Real> => ({
    check: () => true,
    run: async (model, real) => {
      const results = await Promise.allSettled(together.map(({ run }) => tolerant(run(model, real))));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
      for (const { after } of together) if (after !== undefined) await untilNotCut(() => after(model, real));
      await expectInvariants(model, real);
    },
    toString: () => together.map(({ name }) => name).join(' | '),
  }),
);

async function expectInvariants(model: Model, real: Real): Promise<void> {
  const { rows } = await untilNotCut(() =>
    sql`
      select o.correlation_id, o.state, o.released from operations o join reconciliations r using (scheduling_id)
      where r.finished and o.state not in ('done', 'error') and (o.released or o.state not in ('new', 'orphan'))
    `.execute(on(real, 0).database.queries),
  );
  expect(rows).toEqual([]);
  const running = await untilNotCut(() => atTheirReconciler(on(real, 0)));
  expect(running).toBeLessThanOrEqual(LIMITED.most + model.returned);
}

/** Without further faults each cluster gets what was wanted last, and what is old can be removed. */
const settles: fc.AsyncCommand<Model, Real> = {
  check: () => true,
  toString: () => 'settle',
  run: async (model, real) => {
    const [first, ...others] = real.processes;
    if (first === undefined) return;
    expect(await model.hanging).toBeUndefined();
    const states = async () => {
      const { rows } = await sql<{ id: string; state: string }>`
        select runtime_id as id, status || ' ' || kyma_version as state from runtimes order by 1
      `.execute(first.database.queries);
      return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
    };
    const expected = Object.fromEntries(
      [...model.wanted].flatMap(([id, version]) => (version === undefined ? [] : [[id, `ready ${version}`]])),
    );
    await untilNotCut(() => resumeAll(first));
    for (let round = 0; round < 12 && JSON.stringify(await states()) !== JSON.stringify(expected); round++) {
      await elapse(first);
      for (const { database, context } of [first, ...others]) await markOrphans(database, context);
      await closeReconciliations({ ...first.context, database: first.database });
      await first.schedule();
      for (let at = model.claims.length; ; at = model.claims.length) {
        await send(model, first, 100);
        if (model.claims.length === at) break;
        for (let index = at; index < model.claims.length; index++) {
          await tolerant(callBack(model, first, index, ['success', '']));
        }
      }
    }
    expect(await states()).toEqual(expected);
    await cleanReconciliations(
      first.database,
      { ...defaultSettings.cleaner, keepLatest: 1, maxReconciliationAgeDays: 1 },
      new AbortController().signal,
    );
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from reconciliations where finished and status in ('ready', 'deleted') group by runtime_id
    `.execute(first.database.queries);
    for (const { n } of rows) expect(n).toBeLessThanOrEqual(1);
  },
};

test('whatever happens, nothing is sent outside an open run, no version goes back, and every cluster settles', async () => {
  const { server } = databases;
  if (server === undefined) return leftOut('the model of the mothership');
  const progress = progressOf('campaign of the mothership', {
    runs: campaign.numRuns,
    long: campaign.seed !== undefined,
  });
  // Migrations of each database would be a quarter of the time.
  const migrated = await databases.open();
  const maxParallelByComponent = await limitsOfComponents();
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(migrated.queries);
  await migrated.close();
  await fc.assert(
    fc.asyncProperty(
      fc.commands([command], { maxCommands: campaign.seed === undefined ? 40 : 60, size: '+1' }),
      async (sequence) => {
        const path = await openNetworkPath(server.url);
        const url = await createDatabase(server.url, rows[0]?.name);
        const opened = Array.from({ length: PROCESSES }, () => databases.connect(path.through(url)));
        try {
          const processes = opened.map((database) =>
            repositorySteps(database, {
              reconcileIntervalMs: 60_000,
              maxParallelByComponent,
              maxReconcileErrors: 1000,
              maxDeleteErrors: 1000,
            }),
          );
          const model: Model = {
            version: 0,
            wanted: new Map(),
            changes: new Map(),
            sent: new Map(),
            claims: [],
            tokens: new Map(),
            ended: new Set(),
            returned: 0,
          };
          const real: Real = { server, url, processes, path };
          for (const id of ['c1', 'c2']) await register(model, on(real, 0), id);
          await on(real, 0).schedule();
          await fc.asyncModelRun(() => ({ model, real }), [...sequence, settles]);
        } finally {
          await Promise.all(opened.map((database) => database.close()));
          await path.close();
          progress();
        }
      },
    ),
    { ...campaign, endOnFailure: true },
  );
});
