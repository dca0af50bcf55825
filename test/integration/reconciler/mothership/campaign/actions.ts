/** What motherships and their clients do, what is known of it, and what must hold at once. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { sql } from 'kysely';
import { stringify } from 'yaml';
import { createDeps } from '../../../../../internal/framework/base/deps.ts';
import { type Clock, sleep, systemClock } from '../../../../../internal/framework/base/time/clock.ts';
import { createFakeClock } from '../../../../../internal/framework/base/time/fake-clock.ts';
import { urlServers } from '../../../../../internal/systems/reconciler/mothership/config/database-settings.ts';
import { loadSettings } from '../../../../../internal/systems/reconciler/mothership/config/load-settings.ts';
import type { Database } from '../../../../../internal/systems/reconciler/mothership/database/database.ts';
import { openPostgres } from '../../../../../internal/systems/reconciler/mothership/database/postgres.ts';
import {
  claimOperations,
  createClaimKeeper,
} from '../../../../../internal/systems/reconciler/mothership/dispatch/claim-operations.ts';
import type { CallbackStatus } from '../../../../../internal/systems/reconciler/mothership/model/reconciliation.ts';
import { RefusedError } from '../../../../../internal/systems/reconciler/mothership/model/refused-error.ts';
import { markOrphans } from '../../../../../internal/systems/reconciler/mothership/reconciliations/end-attempts.ts';
import { createRollouts } from '../../../../../internal/systems/reconciler/mothership/rollouts.ts';
import { createScheduler } from '../../../../../internal/systems/reconciler/mothership/runnables/scheduler.ts';
import { eventually } from '../../../../environment/eventually.ts';
import { repositorySteps } from '../../../../environment/mothership/repository-steps.ts';
import { clusterDocument, testKeyring } from '../../../../environment/mothership/test-mothership.ts';
import { type NetworkPath, openNetworkPath } from '../../../../environment/network-path.ts';
import type { PostgresServer } from '../../../../environment/postgres/postgres-server.ts';

export const PROCESSES = 3;
/** Of the operations that are at a component reconciler at the same time. */
export const LIMITED = { component: 'a', most: 1 };

/** The message with which a component reconciler that stops hands its tasks back. */
export const HANDED_BACK = 'cancelled: the component reconciler is stopping';

/** The limits of components, as the program reads them from its configuration file, where names have any case. */
export async function limitsOfComponents(): Promise<Readonly<Record<string, number>>> {
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

export type Steps = ReturnType<typeof repositorySteps>;
export type Claimed = Awaited<ReturnType<Steps['claim']>>[number];

/** What has happened, and must hold for what follows. */
export interface Model {
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

export interface Real {
  readonly server: PostgresServer;
  /** Of the database, without a path. */
  readonly url: string;
  readonly processes: readonly Steps[];
  readonly path: NetworkPath;
}

type Step = (model: Model, real: Real) => Promise<unknown>;
export interface Named {
  readonly name: string;
  readonly run: Step;
  /** What must hold when all steps of the same moment have ended. */
  readonly after?: Step;
}

const isCut = (error: unknown) =>
  /terminated|ECONNRESET|ECONNREFUSED|closed after a statement|not queryable|socket/i.test(String(error));

/** What a cut connection or a refusal ends is repeated by its client, or not. */
export async function tolerant(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof RefusedError) && !isCut(error)) throw error;
  }
}

/** Changes of one cluster take turns, and a cut one is repeated: otherwise it would not be known which one is the last. */
export async function change(model: Model, id: string, work: () => Promise<unknown>): Promise<void> {
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

export const register = (model: Model, { inventory }: Steps, id: string) =>
  change(model, id, async () => {
    const version = String(++model.version);
    const document = clusterDocument(id, ['istio', 'a', 'b']);
    await inventory.upsert({ ...document, kymaConfig: { ...document.kymaConfig, version } }, 1);
    model.wanted.set(id, version);
  });

export async function claim(model: Model, steps: Steps, limit: number): Promise<readonly Claimed[]> {
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
export async function send(model: Model, steps: Steps, limit: number): Promise<readonly Claimed[]> {
  const keeper = keeperOf(steps);
  const claimed = await claim(model, steps, limit);
  for (const operation of claimed) await keeper.markSent(operation);
  return claimed;
}

const keeperOf = ({ database, context }: Steps) =>
  createClaimKeeper({ ...context, database, clock: systemClock });

export async function callBack(
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
export async function handBack(model: Model, steps: Steps): Promise<void> {
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
export async function work(
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
export const elapse = ({ database }: Steps, seconds = 3600) =>
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
export async function claimsAreTakenBack(
  model: Model,
  steps: Steps,
  killed: readonly Claimed[],
): Promise<void> {
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
export async function atTheirReconciler({ database }: Steps): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from operations where component = ${LIMITED.component} and state in ('in_progress', 'failed')
  `.execute(database.queries);
  return rows[0]?.n ?? 0;
}

/** A claim counts what is at a component reconciler already, also what came there beside the limit, by a late callback. */
export async function claimsKeepTheLimit(model: Model, steps: Steps): Promise<void> {
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
export const pause = ({ database }: Steps, id: string) =>
  sql`insert into rollouts (id, kind, name, reason, clusters, failed_clusters)
    select 'pause of ' || kyma_version, 'version', kyma_version, 'it fails', 20, 10 from runtimes where runtime_id = ${id}
    on conflict do nothing`.execute(database.queries);

export async function resumeAll({ database }: Steps): Promise<void> {
  const rollouts = createRollouts(database);
  for (const { id, resumedAt } of await rollouts.list()) {
    if (resumedAt === undefined) await tolerant(rollouts.resume(id, 'operator'));
  }
}

/** A round of the scheduler marks what paused rollouts hold back, so that later ones do not read it. */
export async function heldIsMarked(steps: Steps): Promise<void> {
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
export async function roundIsNotRepeated({ database, context }: Steps): Promise<void> {
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
export async function hangingConnections({ server, url }: Real): Promise<void> {
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

/** Sessions of connections that were cut hold their locks, and may commit, for a moment. */
export const settled = (work: () => Promise<void>) => eventually(work, { timeoutMs: 3000 });

/** Connections that were cut are found by the statements that use them. */
export async function untilNotCut<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isCut(error)) throw error;
    }
  }
}
