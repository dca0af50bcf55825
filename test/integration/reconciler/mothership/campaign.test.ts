/**
 * Random registrations, changes, deletions, callbacks, stops, kills, pauses of rollouts, ends of leases, and connections that are cut or
 * hang, in three motherships on one Postgres, also at the same moment. `make test-faults ARGS='--only mothership-model'` runs it at length.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from 'kysely';
import { stringify } from 'yaml';
import { createDeps } from '../../../../internal/framework/base/deps.ts';
import { type Clock, sleep, systemClock } from '../../../../internal/framework/base/time/clock.ts';
import { createFakeClock } from '../../../../internal/framework/base/time/fake-clock.ts';
import { urlServers } from '../../../../internal/systems/reconciler/mothership/config/database-settings.ts';
import { loadSettings } from '../../../../internal/systems/reconciler/mothership/config/load-settings.ts';
import type { Database } from '../../../../internal/systems/reconciler/mothership/database/database.ts';
import { openPostgres } from '../../../../internal/systems/reconciler/mothership/database/postgres.ts';
import {
  claimOperations,
  createClaimKeeper,
} from '../../../../internal/systems/reconciler/mothership/dispatch/claim-operations.ts';
import type { CallbackStatus } from '../../../../internal/systems/reconciler/mothership/model/reconciliation.ts';
import { RefusedError } from '../../../../internal/systems/reconciler/mothership/model/refused-error.ts';
import { defaultSettings } from '../../../../internal/systems/reconciler/mothership/model/settings.ts';
import {
  type Lost,
  markOrphans,
} from '../../../../internal/systems/reconciler/mothership/reconciliations/end-attempts.ts';
import { createRollouts } from '../../../../internal/systems/reconciler/mothership/rollouts.ts';
import { closeReconciliations } from '../../../../internal/systems/reconciler/mothership/runnables/bookkeeper.ts';
import { cleanReconciliations } from '../../../../internal/systems/reconciler/mothership/runnables/cleaner.ts';
import { createScheduler } from '../../../../internal/systems/reconciler/mothership/runnables/scheduler.ts';
import { progressOf, propertyCampaign } from '../../../campaign/campaign.ts';
import { eventually } from '../../../environment/eventually.ts';
import { repositorySteps } from '../../../environment/mothership/repository-steps.ts';
import { clusterDocument, testKeyring } from '../../../environment/mothership/test-mothership.ts';
import { type NetworkPath, openNetworkPath } from '../../../environment/network-path.ts';
import { createDatabase, type PostgresServer } from '../../../environment/postgres/postgres-server.ts';
import { leftOut, startOwnDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const PROCESSES = 3;
/** Of the operations that are at a component reconciler at the same time. */
const LIMITED = { component: 'a', most: 1 };

/** The limits of components, as the program reads them from its configuration file, where names have any case. */
async function limitsOfComponents(): Promise<Readonly<Record<string, number>>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'campaign-'));
  const config = join(dataDir, 'reconciler.yaml');
  const url = 'http://localhost:8081/v1/run';
  const reconcilers = {
    base: { url },
    [LIMITED.component.toUpperCase()]: { url, maxParallel: LIMITED.most },
  };
  await writeFile(
    config,
    stringify({ mothership: { scheme: 'http', host: 'localhost', port: 8080, scheduler: { reconcilers } } }),
  );
  try {
    const { scheduler } = await loadSettings({ config, databaseUrl: '', dataDir }, {});
    return Object.fromEntries(scheduler.maxParallel);
  } finally {
    await rm(dataDir, { recursive: true });
  }
}
const campaign = propertyCampaign(10);
jest.setTimeout(300_000 + campaign.numRuns * 20_000);

const databases = forFile(startOwnDatabases);

type Steps = ReturnType<typeof repositorySteps>;
type Claimed = Awaited<ReturnType<Steps['claim']>>[number];

/** What has happened, and must hold for what follows. */
interface Model {
  version: number;
  /** The newest registered version of each cluster; undefined: its deletion was asked for last. */
  readonly wanted: Map<string, string | undefined>;
  readonly changes: Map<string, Promise<void>>;
  /** The newest version that was sent to each cluster. */
  readonly sent: Map<string, number>;
  /** All claims, the newest fencing token of each operation, and the operations whose result was accepted. */
  readonly claims: Claimed[];
  readonly tokens: Map<string, number>;
  readonly ended: Set<string>;
  /** How often operations were taken or handed back: one that is sent nevertheless, or whose late callback comes, runs beside another. */
  returned: number;
  /** What the process found whose connections hang: it takes seconds, beside everything else. */
  hanging?: Promise<unknown>;
}

interface Real {
  readonly server: PostgresServer;
  /** Of the database, without a path. */
  readonly url: string;
  readonly processes: readonly Steps[];
  readonly path: NetworkPath;
}

type Step = (model: Model, real: Real) => Promise<unknown>;
interface Named {
  readonly name: string;
  readonly run: Step;
  /** What must hold when all steps of the same moment have ended. */
  readonly after?: Step;
}

const isCut = (error: unknown) =>
  /terminated|ECONNRESET|ECONNREFUSED|closed after a statement|not queryable|socket/i.test(String(error));

/** What a cut connection or a refusal ends is repeated by its client, or not. */
async function tolerant(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RefusedError) && !isCut(error)) throw error;
  }
}

/** Changes of one cluster take turns, and a cut one is repeated: otherwise it would not be known which one is the last. */
async function change(model: Model, id: string, work: () => Promise<unknown>): Promise<void> {
  const before = model.changes.get(id) ?? Promise.resolve();
  const changing = before.then(async () => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isCut(error)) throw error;
      }
    }
  });
  model.changes.set(
    id,
    changing.then(
      () => undefined,
      () => undefined,
    ),
  );
  await changing;
}

const register = (model: Model, { inventory }: Steps, id: string) =>
  change(model, id, async () => {
    const version = String(++model.version);
    const document = clusterDocument(id, ['istio', 'a', 'b']);
    await inventory.upsert({ ...document, kymaConfig: { ...document.kymaConfig, version } }, 1);
    model.wanted.set(id, version);
  });

async function claim(model: Model, steps: Steps, limit: number): Promise<readonly Claimed[]> {
  const claimed = await claimOperations(steps.database, {
    claimedBy: 'a process',
    limit,
    leaseMs: keeperOf(steps).leaseMs,
    maxParallelByComponent: steps.context.settings.maxParallelByComponent,
  });
  for (const operation of claimed) {
    const {
      correlation_id: id,
      fencing_token: token,
      runtime_id: cluster,
      config_version: version,
    } = operation;
    const { rows } = await sql<{ finished: boolean }>`
      select finished from reconciliations where scheduling_id = ${operation.scheduling_id}
    `.execute(steps.database.queries);
    const run = rows[0];
    if (run !== undefined && !model.ended.has(id))
      expect({ id, finished: run.finished }).toEqual({ id, finished: false });
    expect(model.ended).not.toContain(id);
    expect(token).toBeGreaterThan(model.tokens.get(id) ?? 0);
    expect(version).toBeGreaterThanOrEqual(model.sent.get(cluster) ?? 0);
    model.tokens.set(id, token);
    model.sent.set(cluster, version);
    model.claims.push(operation);
  }
  return claimed;
}

/** Claims operations, and sends their tasks. */
async function send(model: Model, steps: Steps, limit: number): Promise<readonly Claimed[]> {
  const keeper = keeperOf(steps);
  const claimed = await claim(model, steps, limit);
  for (const operation of claimed) await keeper.markSent(operation);
  return claimed;
}

const keeperOf = ({ database, context }: Steps) =>
  createClaimKeeper({ ...context, database, clock: systemClock });

async function callBack(
  model: Model,
  steps: Steps,
  index: number,
  report: readonly [CallbackStatus, string],
) {
  const operation = model.claims[index % Math.max(model.claims.length, 1)];
  if (operation === undefined) return;
  const [status, error] = report;
  const id = operation.correlation_id;
  const isStale = operation.fencing_token < (model.tokens.get(id) ?? 0);
  if (error === HANDED_BACK) model.returned++;
  const result = await steps.report(operation, status, { error, retryId: `${index}` });
  expect({ result, isStale }).not.toEqual({ result: 'applied', isStale: true });
  if (result === 'applied' && (status === 'success' || status === 'error')) model.ended.add(id);
}

/** A component reconciler stops gracefully: another one gets its task at once. */
async function handBack(model: Model, steps: Steps): Promise<void> {
  for (const operation of await send(model, steps, 1)) {
    const { correlation_id: id, fencing_token: token } = operation;
    model.returned++;
    await steps.report(operation, 'failed', { error: HANDED_BACK });
    const { rows } = await sql`
      select state, next_attempt_at > now() as waits from operations
      where correlation_id = ${id} and fencing_token <= ${token + 1} and not finished
        and (state in ('in_progress', 'failed') or next_attempt_at > now())
    `.execute(steps.database.queries);
    expect(rows).toEqual([]);
  }
}

/** One operation after the other succeeds; then, if there is one more, it fails while others wait. */
async function work(
  model: Model,
  steps: Steps,
  { successes }: { readonly successes: number },
): Promise<void> {
  await steps.schedule();
  for (let n = 0; n <= successes; n++) {
    const [operation] = await send(model, steps, 1);
    if (operation === undefined) return;
    await callBack(
      model,
      steps,
      model.claims.length - 1,
      n < successes ? ['success', ''] : ['error', 'broken'],
    );
  }
  await send(model, steps, 1);
}

/** The time that passes without a sign of life: leases end, delays are over, periodic runs are due. */
const elapse = ({ database }: Steps, seconds = 3600) =>
  database.transaction((tx) =>
    sql`with passed as (select ${seconds}::float8 * interval '1 s' as elapsed), o as (
      update operations set lease_until = lease_until - elapsed, next_attempt_at = next_attempt_at - elapsed from passed
      where not finished
    ) update runtimes set next_run_at = next_run_at - elapsed, status_since = status_since - elapsed from passed`.execute(
      tx,
    ),
  );

/** Longer than the lease of a claim, and much shorter than the orphan timeout. */
const CLAIMS_ARE_OVER_S = 15;

/** A process that was killed after its claims: others send them within seconds, and nothing that was sent. */
async function claimsAreTakenBack(model: Model, steps: Steps, killed: readonly Claimed[]): Promise<void> {
  model.returned++;
  const inProgress = async (sent: boolean) => {
    const { rows } = await sql<{ id: string; token: number }>`
      select correlation_id as id, fencing_token as token from operations
      where state = 'in_progress' and not finished and sent = ${sent} order by 1
    `.execute(steps.database.queries);
    return rows;
  };
  const sent = await inProgress(true);
  await elapse(steps, CLAIMS_ARE_OVER_S);
  await markOrphans(steps.database, steps.context, 'claimed');
  expect(await inProgress(true)).toEqual(sent);
  const lost = killed.map(({ correlation_id: id, fencing_token: token }) => ({ id, token }));
  const left = await inProgress(false);
  expect(
    left.filter(({ id, token }) => lost.some((claim) => claim.id === id && claim.token === token)),
  ).toEqual([]);
}

/** How many operations of the limited component are at a component reconciler. */
async function atTheirReconciler({ database }: Steps): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from operations where component = ${LIMITED.component} and state in ('in_progress', 'failed')
  `.execute(database.queries);
  return rows[0]?.n ?? 0;
}

/** A claim counts what is at a component reconciler already, also what came there beside the limit, by a late callback. */
async function claimsKeepTheLimit(model: Model, steps: Steps): Promise<void> {
  await steps.schedule();
  await settled(async () => {
    const { rows } = await sql`
      select pid from pg_stat_activity where datname = current_database() and backend_xid is not null
    `.execute(steps.database.queries);
    expect(rows).toEqual([]);
  });
  // What comes before the component succeeds, so that several clusters wait for it, and it stays at its reconciler.
  for (let round = 0; round < 4; round++) {
    const before = await atTheirReconciler(steps);
    const first = model.claims.length;
    const claimed = await send(model, steps, 100);
    const ofComponent = claimed.filter(({ component }) => component === LIMITED.component).length;
    expect(ofComponent).toBeLessThanOrEqual(Math.max(0, LIMITED.most - before));
    for (const [index, { component }] of claimed.entries())
      if (component !== LIMITED.component) await callBack(model, steps, first + index, ['success', '']);
  }
}

/** The rollout of the version that a cluster has is paused. */
const pause = ({ database }: Steps, id: string) =>
  sql`insert into rollouts (id, kind, name, reason, clusters, failed_clusters)
    select 'pause of ' || kyma_version, 'version', kyma_version, 'it fails', 20, 10 from runtimes where runtime_id = ${id}
    on conflict do nothing`.execute(database.queries);

async function resumeAll({ database }: Steps): Promise<void> {
  const rollouts = createRollouts(database);
  for (const { id, resumedAt } of await rollouts.list()) {
    if (resumedAt === undefined) await tolerant(rollouts.resume(id, 'operator'));
  }
}

/** A round of the scheduler marks what paused rollouts hold back, so that later ones do not read it. */
async function heldIsMarked(steps: Steps): Promise<void> {
  await steps.schedule();
  const { rows } = await sql`
    select r.runtime_id, r.status from runtimes r join rollouts p on p.name = r.kyma_version and p.resumed_at is null
    where not r.held and (r.status = 'reconcile_pending' and r.pending_cause = 'upgrade' or r.status = 'ready'
      and coalesce(r.next_run_at, now()) <= now()
      and r.status_since <= now() - ${steps.context.settings.reconcileIntervalMs}::float8 * interval '1 ms')
  `.execute(steps.database.queries);
  expect(rows).toEqual([]);
}

/** While others lock all clusters, the scheduler makes one round, and then waits. */
async function roundIsNotRepeated({ database, context }: Steps): Promise<void> {
  const clock = createFakeClock();
  const stopping = new AbortController();
  let transactions = 0;
  const watched: Database = {
    ...database,
    listen: () => () => undefined,
    transaction: (work) => {
      transactions++;
      return database.transaction(work);
    },
  };
  await database.transaction(async (tx) => {
    await sql`select 1 from runtimes for update`.execute(tx);
    const scheduler = createScheduler({ ...context, clock, database: watched, keyring: testKeyring });
    const running = scheduler.start(stopping.signal, stopping.signal);
    const waits = () => eventually(() => expect(clock.pending()).toBe(1));
    try {
      await waits();
      const ofFirstRound = transactions;
      for (let step = 0; step < 8; step++) {
        await clock.advance(50);
        await waits();
      }
      // A round may be due by its time, and mark what paused rollouts hold back.
      expect(transactions - ofFirstRound).toBeLessThanOrEqual(4);
    } finally {
      stopping.abort();
      await running;
    }
  });
}

/** A process on a path whose connections hang without a sign: one statement fails, and its end comes in time. */
async function hangingConnections({ server, url }: Real): Promise<void> {
  const path = await openNetworkPath(server.url);
  // Ten times as fast, limits included.
  const clock: Clock = { ...systemClock, after: (ms, fn) => systemClock.after(ms / 10, fn) };
  const database = openPostgres({
    ...createDeps({ clock }),
    ...urlServers(path.through(url)),
    statementTimeoutMs: 1500,
  });
  const { inventory } = repositorySteps(database);
  try {
    await Promise.all(Array.from({ length: 4 }, () => inventory.all({ perTenant: 1000, limit: 1000 })));
    path.drop();
    const failed: string[] = [];
    while (failed.length < 3) {
      const error = await inventory.all({ perTenant: 1000, limit: 1000 }).then(() => undefined, String);
      if (error === undefined) break;
      failed.push(error);
    }
    expect(failed.length).toBeLessThanOrEqual(1);
    path.drop();
  } finally {
    const ended = new AbortController();
    const late = sleep(systemClock, 20_000, ended.signal).then(
      () => 'it hangs',
      () => undefined,
    );
    expect(await Promise.race([database.close(), late])).toBeUndefined();
    ended.abort();
    await path.close();
  }
}

const HANDED_BACK = 'cancelled: the component reconciler is stopping';

const REPORTS: readonly (readonly [CallbackStatus, string])[] = [
  ['running', ''],
  ['failed', 'not yet'],
  ['failed', HANDED_BACK],
  ['success', ''],
  ['success', ''],
  ['error', 'broken'],
];

const clusters = fc.constantFrom('c1', 'c2', 'c3');
const processOf = fc.nat(PROCESSES - 1);
const on = (real: Real, index: number): Steps =>
  real.processes[index % PROCESSES] ?? (real.processes[0] as Steps);

const steps: fc.Arbitrary<Named> = fc.oneof(
  fc.tuple(processOf, clusters).map(([at, id]) => ({
    name: `register ${id} at ${at}`,
    run: (model: Model, real: Real) => register(model, on(real, at), id),
  })),
  fc.tuple(processOf, clusters).map(([at, id]) => ({
    name: `delete ${id} at ${at}`,
    run: (model: Model, real: Real) =>
      change(model, id, async () => {
        await on(real, at).inventory.markForDeletion(id);
        model.wanted.set(id, undefined);
      }),
  })),
  {
    weight: 2,
    arbitrary: fc.tuple(processOf).map(([at]) => ({
      name: `schedule at ${at}`,
      run: (_: Model, real: Real) => on(real, at).schedule(),
      after: (_: Model, real: Real) => settled(() => heldIsMarked(on(real, at))),
    })),
  },
  fc.tuple(processOf).map(([at]) => ({
    name: `schedule at ${at} while clusters are locked`,
    run: async () => undefined,
    after: (_: Model, real: Real) => roundIsNotRepeated(on(real, at)),
  })),
  fc.tuple(processOf, fc.integer({ min: 0, max: 12 })).map(([at, successes]) => ({
    name: `${successes} successes and an error at ${at}`,
    run: async () => undefined,
    after: (model: Model, real: Real) => work(model, on(real, at), { successes }),
  })),
  fc.tuple(processOf, clusters).map(([at, id]) => ({
    name: `register ${id} and pause its version at ${at}`,
    run: async () => undefined,
    after: async (model: Model, real: Real) => {
      await register(model, on(real, at), id);
      await pause(on(real, at), id);
      await settled(() => heldIsMarked(on(real, at)));
    },
  })),
  fc.tuple(processOf, clusters).map(([at, id]) => ({
    name: `pause the version of ${id} at ${at}`,
    run: (_: Model, real: Real) => pause(on(real, at), id),
  })),
  fc.tuple(processOf).map(([at]) => ({
    name: `resume at ${at}`,
    run: (_: Model, real: Real) => resumeAll(on(real, at)),
  })),
  fc.tuple(processOf).map(([at]) => {
    let claimed: readonly Claimed[] = [];
    return {
      name: `kill ${at} after its claims`,
      run: async (model: Model, real: Real) => {
        claimed = [];
        claimed = await claim(model, on(real, at), 3);
      },
      after: (model: Model, real: Real) =>
        settled(() => claimsAreTakenBack(model, on(real, at + 1), claimed)),
    };
  }),
  fc.tuple(processOf).map(([at]) => ({
    name: `claim all at ${at}`,
    run: async () => undefined,
    after: (model: Model, real: Real) => claimsKeepTheLimit(model, on(real, at)),
  })),
  fc.tuple(processOf).map(([at]) => ({
    name: `hand back at ${at}`,
    run: async () => undefined,
    after: (model: Model, real: Real) => handBack(model, on(real, at)),
  })),
  fc.constant({
    name: 'connections of another process hang',
    run: async (model: Model, real: Real) => {
      model.hanging ??= hangingConnections(real).then(
        () => undefined,
        (error: unknown) => error,
      );
    },
  }),
  {
    weight: 3,
    arbitrary: fc.tuple(processOf, fc.integer({ min: 1, max: 3 })).map(([at, limit]) => ({
      name: `claim ${limit} at ${at}`,
      run: (model: Model, real: Real) => send(model, on(real, at), limit),
    })),
  },
  {
    weight: 5,
    arbitrary: fc.tuple(processOf, fc.nat(40), fc.constantFrom(...REPORTS)).map(([at, index, report]) => ({
      name: `${report.join(' ')} of claim ${index} at ${at}`,
      run: (model: Model, real: Real) => callBack(model, on(real, at), index, report),
    })),
  },
  fc.tuple(processOf, fc.nat(40)).map(([at, index]) => ({
    name: `stop ${index} at ${at}`,
    run: async (_: Model, real: Real) => {
      const { rows } = await sql<{ s: string; c: string }>`
        select scheduling_id as s, correlation_id as c from operations where state = 'new' order by 2 offset ${index % 5} limit 1
      `.execute(on(real, at).database.queries);
      const [row] = rows;
      if (row !== undefined) await on(real, at).reconciliations.stop(row.s, row.c, 'not needed');
    },
  })),
  fc.tuple(processOf, fc.constantFrom<Lost>('claimed', 'all')).map(([at, which]) => ({
    name: `leases end, orphans (${which}) at ${at}`,
    run: async (model: Model, real: Real) => {
      model.returned++;
      await elapse(on(real, at));
      await markOrphans(on(real, at).database, on(real, at).context, which);
    },
  })),
  fc.tuple(processOf).map(([at]) => ({
    name: `bookkeeper at ${at}`,
    run: (_: Model, real: Real) =>
      closeReconciliations({ ...on(real, at).context, database: on(real, at).database }),
  })),
  fc.constant({ name: 'connections are cut', run: async (_: Model, real: Real) => real.path.cut() }),
);

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

/** Sessions of connections that were cut hold their locks, and may commit, for a moment. */
const settled = (work: () => Promise<void>) => eventually(work, { timeoutMs: 3000 });

/** Connections that were cut are found by the statements that use them. */
async function untilNotCut<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isCut(error)) throw error;
    }
  }
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
