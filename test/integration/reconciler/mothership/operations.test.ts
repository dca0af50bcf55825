/** Operations of a reconciliation: claims, callbacks, leases, and what users do with them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';
import { createFakeClock } from '../../../../internal/framework/base/time/fake-clock.ts';
import {
  claimOperations,
  createClaimKeeper,
} from '../../../../internal/systems/reconciler/mothership/dispatch/claim-operations.ts';
import type { Settings } from '../../../../internal/systems/reconciler/mothership/model/settings.ts';
import { createOverview } from '../../../../internal/systems/reconciler/mothership/overview.ts';
import {
  createEndAttempt,
  markOrphans,
} from '../../../../internal/systems/reconciler/mothership/reconciliations/end-attempts.ts';
import { closeReconciliations } from '../../../../internal/systems/reconciler/mothership/runnables/bookkeeper.ts';
import { eventually } from '../../../environment/eventually.ts';
import { repositorySteps } from '../../../environment/mothership/repository-steps.ts';
import { clusterDocument, componentOf } from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { forFile } from '../../harness/for-file.ts';

const databases = forFile(startTestDatabases);

const open = async (settings?: Partial<Settings>) => repositorySteps(await databases.open(), settings);
type Steps = Awaited<ReturnType<typeof open>>;

const refused = (refusal: string) => expect.objectContaining({ refusal });

const endLeases = ({ database }: Steps) =>
  sql`update operations set lease_until = lease_until - interval '1 day'`.execute(database.queries);

test('[R19] the life of an operation; nothing changes after its end', async () => {
  const steps = await open();
  const { claim, report, reconciliations, database, context, begin } = steps;
  const id = await begin('c1');
  const operation = async () => (await reconciliations.get(id)).operations[0];
  const [first] = await claim();
  if (first === undefined) throw new Error('nothing was claimed');
  expect(await operation()).toMatchObject({ state: 'in_progress', attempts: 1, retries: 0 });
  await createEndAttempt(
    database,
    context,
  )({
    schedulingId: id,
    correlationId: first.correlation_id,
    from: ['in_progress'],
    state: 'client_error',
    reason: 'busy',
  });
  expect(await operation()).toMatchObject({ state: 'client_error', reason: 'busy' });
  const [second] = await claim();
  if (second === undefined) throw new Error('nothing was claimed');
  expect(await operation()).toMatchObject({ state: 'in_progress', attempts: 2, reason: null });
  await report(second, 'failed', { error: 'not yet' });
  expect(await operation()).toMatchObject({ state: 'failed', reason: 'not yet', retries: 1 });
  await report(second, 'running', { retryId: 'second attempt' });
  expect(await operation()).toMatchObject({ state: 'in_progress', reason: null, retries: 2 });
  await report(second, 'running', { retryId: 'second attempt' });
  const last = { error: 'broken', retryId: 'second attempt' };
  expect(await report(second, 'error', last)).toBe('applied');
  const ended = await operation();
  expect(ended).toMatchObject({ state: 'error', reason: 'broken', retries: 2 });
  expect(await report(second, 'error', last)).toBe('repeated');
  for (const status of ['running', 'failed', 'success'] as const) {
    await expect(report(second, status)).rejects.toEqual(refused('final'));
  }
  expect(await operation()).toEqual(ended);
});

test('a component reconciler that quotes a value which is marked as secret: it is in no reason', async () => {
  const { inventory, schedule, claim, report, reconciliations } = await open();
  const password = 'hunter2-of-istio';
  const configuration = [
    { key: 'a.password', value: password, secret: true },
    { key: 'b', value: { nested: ['deep-secret-value'] }, secret: true },
    { key: 'c', value: 'visible-value', secret: false },
  ];
  await inventory.upsert(clusterDocument('c1', [{ ...componentOf('istio'), configuration }]), 1);
  await schedule();
  let istio: Awaited<ReturnType<typeof claim>>[number] | undefined;
  while (istio === undefined) {
    const claimed = await claim();
    if (claimed.length === 0) throw new Error('nothing is left to claim');
    istio = claimed.find(({ component }) => component === 'istio');
    for (const operation of claimed) if (operation !== istio) await report(operation, 'success');
  }
  const { scheduling_id, correlation_id } = istio;
  const reasonAfter = async (status: 'failed' | 'error', error: string) => {
    await report(istio, status, { error, retryId: error });
    const { operations } = await reconciliations.get(scheduling_id);
    return operations.find((each) => each.correlation_id === correlation_id)?.reason;
  };
  const hex = Buffer.from(password).toString('hex');
  const quoted = [
    password,
    password.toUpperCase(),
    hex,
    hex.toUpperCase(),
    'deep-secret-value',
    encodeURIComponent(password),
  ];
  expect(await reasonAfter('failed', `bad ${quoted.join(', ')}; visible-value`)).toBe(
    `bad ${quoted.map(() => '[redacted]').join(', ')}; visible-value`,
  );
  expect(
    await reasonAfter('error', `values: {"password":"${Buffer.from(password).toString('base64')}"}`),
  ).toMatch(/^values: .*\[redacted\]/);
});

test('very many failures with long reasons are a short list for the page', async () => {
  const { claim, report, begin, database } = await open({ maxParallel: 300 });
  const components = Array.from({ length: 250 }, (_, n) => `c${n}`);
  await begin('c1', components);
  for (let group = await claim(500); group.length > 0; group = await claim(500))
    for (const operation of group) {
      const isOwn = components.includes(operation.component);
      const error = String.fromCharCode(97 + (operation.component.length % 26)).repeat(15_000);
      await report(operation, isOwn ? 'error' : 'success', { error: `${operation.component} ${error}` });
    }
  const failures = await createOverview(database).failures();
  expect(failures.length).toBeGreaterThan(10);
  expect(Math.max(...failures.map(({ reason }) => reason.length))).toBe(1024);
  expect(JSON.stringify(failures).length).toBeLessThan(400_000);
});

test('what is claimed at once is sent in the order of the queue', async () => {
  const { begin, database } = await open({ maxParallel: 300 });
  const components = Array.from({ length: 50 }, (_, n) => `c${n}`);
  await begin('c1', components);
  // Neither the order of the rows nor that of their names.
  await sql`update operations set released = true, rank = length(component),
    next_attempt_at = now() - (('x' || substr(md5(component), 1, 4))::bit(16)::int + 1) * interval '1 s'`.execute(
    database.queries,
  );
  const { rows } = await sql<{ component: string }>`
    select component from operations order by rank, next_attempt_at
  `.execute(database.queries);
  const claimed = await database.transaction(async (tx) => {
    // A plan for many rows, which joins them in any order.
    for (const join of ['nestloop', 'mergejoin'])
      await sql`set local enable_${sql.raw(join)} = off`.execute(tx);
    const options = { claimedBy: 'test', limit: 100, leaseMs: 10_000, maxParallelByComponent: {} };
    return claimOperations({ ...database, queries: tx }, options);
  });
  expect(claimed.map(({ component }) => component)).toEqual(rows.map(({ component }) => component));
});

test('an operation whose attempt failed still counts for the limit of its component, until it ends', async () => {
  const { begin, claim, report } = await open({ maxParallelByComponent: { a: 1 } });
  for (const id of ['c1', 'c2']) await begin(id, ['a']);
  for (const crds of await claim()) await report(crds, 'success');
  const ofA = async () => (await claim()).filter(({ component }) => component === 'a');
  const [first, ...others] = await ofA();
  if (first === undefined) throw new Error('nothing was claimed');
  expect(others).toEqual([]);
  // The component reconciler works on it, and tries again.
  for (const status of ['running', 'failed'] as const) {
    await report(first, status, { error: 'not yet' });
    expect(await ofA()).toEqual([]);
  }
  await report(first, 'success');
  expect((await ofA()).map(({ runtime_id }) => runtime_id)).toHaveLength(1);
});

test('what is known of a task without an answer is void once its component reconciler has called back', async () => {
  const { begin, claim, report, reconciliations, database, context } = await open();
  const end = createEndAttempt(database, context);
  const lost = { from: ['in_progress'], state: 'client_error', reason: 'no answer', unheard: true } as const;
  for (const id of ['c1', 'c2']) await begin(id);
  const claimed = await claim();
  for (const { runtime_id, scheduling_id: schedulingId, correlation_id: correlationId, ...rest } of claimed) {
    const isHeard = runtime_id === 'c1';
    const operation = { ...rest, runtime_id, scheduling_id: schedulingId, correlation_id: correlationId };
    if (isHeard) await report(operation, 'running');
    const changed = await end({ ...lost, schedulingId, correlationId, fencingToken: rest.fencing_token });
    expect(changed === undefined).toBe(isHeard);
    const { operations } = await reconciliations.get(schedulingId);
    expect(operations.find((each) => each.correlation_id === correlationId)).toMatchObject({
      state: isHeard ? 'in_progress' : 'client_error',
    });
  }
});

test('[R20] the first claim and the duration are stored', async () => {
  const { claim, report, reconciliations, begin } = await open();
  const id = await begin('c1');
  const before = (await reconciliations.get(id)).operations[0];
  expect(before).toMatchObject({ picked_up: null, processing_duration: 0 });
  const [operation] = await claim();
  if (operation === undefined) throw new Error('nothing was claimed');
  await report(operation, 'success');
  const [after] = (await reconciliations.get(id)).operations;
  expect(after).toMatchObject({ picked_up: expect.any(Date), processing_duration: 7, state: 'done' });
});

test('[R21] debug: of all operations that were not sent, of one, refused later', async () => {
  const { claim, report, reconciliations, begin, finish } = await open();
  const id = await begin('c1');
  const [crds] = await claim();
  if (crds === undefined) throw new Error('nothing was claimed');
  const debugged = async () =>
    (await reconciliations.get(id)).operations.filter(({ debug }) => debug).map(({ component }) => component);
  const istio = (await reconciliations.get(id)).operations.find(({ component }) => component === 'istio');
  await reconciliations.debug(id, istio?.correlation_id);
  expect(await debugged()).toEqual(['istio']);
  await reconciliations.debug(id);
  expect(await debugged()).toEqual(['istio', 'eventing', 'serverless']);
  await expect(reconciliations.debug(id, crds.correlation_id)).rejects.toEqual(refused('not-new'));
  await expect(reconciliations.debug(id, 'unknown')).rejects.toEqual(refused('not-found'));
  await expect(reconciliations.debug('unknown')).rejects.toEqual(refused('not-found'));
  await report(crds, 'success');
  await finish();
  await expect(reconciliations.debug(id)).rejects.toEqual(refused('final'));
  // Of a run that ended with an error, some operations were never sent.
  const failed = await begin('c2');
  await finish(() => 'error');
  expect((await reconciliations.get(failed)).operations.map(({ state }) => state)).toContain('new');
  await expect(reconciliations.debug(failed)).rejects.toEqual(refused('final'));
});

test('the delay after errors in a row doubles after each three, up to eight times', async () => {
  const intervalMs = 1000;
  const { begin, claim, report, finish, database } = await open({ reconcileIntervalMs: intervalMs });
  const delays: number[] = [];
  for (const [index, errors] of [0, 2, 3, 5, 6, 8, 9, 30].entries()) {
    const id = `c${index}`;
    await begin(id, []);
    await sql`update runtimes set error_count = ${errors} where runtime_id = ${id}`.execute(database.queries);
    for (const crds of await claim()) await report(crds, 'error', { error: 'broken' });
    await finish();
    const { rows } = await sql<{ ms: number }>`
      select (extract(epoch from next_run_at - last_result_at) * 1000)::float8 as ms from runtimes where runtime_id = ${id}
    `.execute(database.queries);
    delays.push(Math.floor((rows[0]?.ms ?? 0) / intervalMs));
  }
  // With a spread of up to 15 %.
  expect(delays.map((delay) => 2 ** Math.floor(Math.log2(delay)))).toEqual([1, 1, 2, 2, 4, 4, 8, 8]);
});

test('a renewal of claims leaves what a component reconciler has called back about as sent', async () => {
  const { begin, claim, report, database, context } = await open();
  const clock = createFakeClock();
  const keeper = createClaimKeeper({ ...context, database, clock });
  await begin('c1');
  const [operation] = await claim();
  if (operation === undefined) throw new Error('nothing was claimed');
  keeper.add(operation, clock.monotonic());
  const stop = keeper.start();
  // The callback may come before it is stored that the task was sent.
  await report(operation, 'running');
  const row = async () => {
    const { rows } = await sql<{ sent: boolean; leftMs: number }>`
      select sent, (extract(epoch from lease_until - clock_timestamp()) * 1000)::float8 as "leftMs" from operations
      where correlation_id = ${operation.correlation_id}`.execute(database.queries);
    return rows[0];
  };
  for (let renewal = 0; renewal < 3; renewal++) {
    await clock.advance(keeper.leaseMs / 3);
    await sleep(100);
  }
  stop();
  expect(await row()).toMatchObject({ sent: true });
  expect((await row())?.leftMs).toBeGreaterThan(2 * keeper.leaseMs);
});

test('that a task was sent is stored later when the database does not answer, though its dispatch has ended', async () => {
  const { claim, begin, reconciliations, context, database } = await open();
  const clock = createFakeClock();
  let isDown = true;
  const unsteady = {
    ...database,
    get queries() {
      if (isDown) throw new Error('the database does not answer');
      return database.queries;
    },
  };
  const keeper = createClaimKeeper({ ...context, database: unsteady, clock });
  const id = await begin('c1');
  const [operation] = await claim();
  if (operation === undefined) throw new Error('nothing was claimed');
  keeper.add(operation, clock.monotonic());
  await expect(keeper.markSent(operation)).rejects.toThrow('does not answer');
  keeper.release(operation);
  isDown = false;
  const stop = keeper.start();
  await clock.advance(keeper.leaseMs / 3);
  await eventually(async () =>
    expect((await reconciliations.get(id)).operations[0]).toMatchObject({ state: 'in_progress', sent: true }),
  );
  stop();
});

test('claims of a process that has ended are taken back, however long this one has run', async () => {
  const steps = await open();
  const { claim, begin, reconciliations, context, database } = steps;
  const clock = createFakeClock();
  const keeper = createClaimKeeper({ ...context, database, clock });
  const id = await begin('c1');
  expect(await claim()).toHaveLength(1);
  const stop = keeper.start();
  const round = async () => {
    await clock.advance(keeper.leaseMs / 3);
    await sleep(100);
  };
  for (let rounds = 0; rounds < 5; rounds++) await round();
  expect((await reconciliations.get(id)).operations[0]).toMatchObject({ state: 'in_progress' });
  await endLeases(steps);
  await round();
  await eventually(async () =>
    expect((await reconciliations.get(id)).operations[0]).toMatchObject({ state: 'orphan' }),
  );
  stop();
});

test('an operation is stopped before it is sent, and not later', async () => {
  const { claim, reconciliations, begin, inventory, report, finish } = await open();
  const id = await begin('c1', ['istio', 'eventing']);
  const [crds] = await claim();
  if (crds === undefined) throw new Error('nothing was claimed');
  await expect(reconciliations.stop(id, crds.correlation_id, 'why')).rejects.toEqual(refused('not-new'));
  await expect(reconciliations.stop(id, 'unknown', 'why')).rejects.toEqual(refused('not-found'));
  const istio = (await reconciliations.get(id)).operations.find(({ component }) => component === 'istio');
  await reconciliations.stop(id, istio?.correlation_id ?? '', 'not needed');
  await report(crds, 'success');
  expect(await finish()).toEqual([['eventing']]);
  expect((await reconciliations.get(id)).operations[1]).toMatchObject({
    state: 'done',
    reason: 'not needed',
  });
  expect((await inventory.latest('c1')).status.status).toBe('ready');
});

test('callbacks: unknown operation, missing, forged and stale token', async () => {
  const steps = await open();
  const { claim, report, reconciliations, begin, tokens } = steps;
  const id = await begin('c1');
  const [operation] = await claim();
  if (operation === undefined) throw new Error('nothing was claimed');
  const ids = { schedulingId: id, correlationId: operation.correlation_id };
  const token = tokens.issue({ ...ids, fencingToken: operation.fencing_token });
  const callback = {
    ...ids,
    token,
    status: 'success',
    error: '',
    retryId: 'r',
    processingDurationMs: 1,
  } as const;
  const other = { ...callback, correlationId: 'unknown' };
  await expect(reconciliations.callback(other)).rejects.toEqual(refused('not-found'));
  await expect(reconciliations.callback({ ...other, token: undefined })).rejects.toEqual(
    refused('not-found'),
  );
  for (const forged of [
    undefined,
    '',
    '1',
    '1.',
    token.replace(/^1/, '2'),
    `${token}x`,
    token.slice(0, -1),
  ]) {
    await expect(reconciliations.callback({ ...callback, token: forged })).rejects.toEqual(
      refused('missing-token'),
    );
  }
  await endLeases(steps);
  await markOrphans(steps.database, steps.context);
  // A sign of life of an orphan that was not sent again is welcome.
  expect(await report(operation, 'running')).toBe('applied');
  await endLeases(steps);
  await markOrphans(steps.database, steps.context);
  const [again] = await claim();
  expect(again).toMatchObject({ correlation_id: operation.correlation_id, fencing_token: 2 });
  await expect(report(operation, 'success')).rejects.toEqual(refused('stale-token'));
  expect((await reconciliations.get(id)).operations[0]).toMatchObject({
    state: 'in_progress',
    attempts: 2,
  });
});

test('a task that a stopping component reconciler hands back is sent again at once, and its attempt does not count', async () => {
  const { claim, report, begin, reconciliations, context, database } = await open();
  const id = await begin('c1');
  const error = 'cancelled: the component reconciler is stopping';
  for (let stops = 0; stops < 3; stops++) {
    const [task] = await claim();
    if (task === undefined) throw new Error('nothing was claimed');
    await report(task, 'running', { retryId: `attempt ${stops}` });
    const retryId = stops === 2 ? 'never seen' : `attempt ${stops}`;
    expect(await report(task, 'failed', { error, retryId })).toBe('applied');
    expect((await reconciliations.get(id)).operations[0]).toMatchObject({
      state: 'orphan',
      reason: error,
      retries: stops === 2 ? 1 : 0,
    });
    // A sign of life that was overtaken: nothing works on it any more.
    await expect(report(task, 'running', { retryId })).rejects.toEqual(refused('stale-token'));
  }
  const [last] = await claim();
  expect(last).toMatchObject({ component: 'CRDs', attempts: 4 });
  if (last === undefined) throw new Error('nothing was claimed');
  await report(last, 'failed', { error });
  // The process that sent it stores that late.
  await createClaimKeeper({ ...context, database, clock: systemClock }).markSent(last);
  expect((await reconciliations.get(id)).operations[0]).toMatchObject({ state: 'orphan' });
});

test('texts of component reconcilers are stored within what the database can store', async () => {
  const { claim, begin, reconciliations, tokens } = await open();
  const id = await begin('c1');
  const [operation] = await claim();
  if (operation === undefined) throw new Error('nothing was claimed');
  const ids = { schedulingId: id, correlationId: operation.correlation_id };
  await reconciliations.callback({
    ...ids,
    token: tokens.issue({ ...ids, fencingToken: 1 }),
    status: 'failed',
    error: 'a\0b\ud800',
    retryId: '\0',
    processingDurationMs: Number.MAX_VALUE,
    progress: { text: 'x\0\udfff', list: [1] },
  });
  expect((await reconciliations.get(id)).operations[0]).toMatchObject({
    reason: 'a\ufffdb\ufffd',
    progress: { text: 'x\ufffd\ufffd', list: [1] },
  });
});

test('[R34] orphans are marked once, and reconciliations ended once, by 25 at the same moment', async () => {
  const steps = await open();
  const { begin, claim, database, context } = steps;
  await begin('c1', ['a', 'b']);
  await begin('c2', ['a', 'b']);
  expect(await claim()).toHaveLength(2);
  const mark = () => Promise.all(Array.from({ length: 25 }, () => markOrphans(database, context)));
  expect((await mark()).reduce((sum, count) => sum + count, 0)).toBe(0);
  await endLeases(steps);
  expect((await mark()).reduce((sum, count) => sum + count, 0)).toBe(2);
  expect((await mark()).reduce((sum, count) => sum + count, 0)).toBe(0);
  // As if all callbacks had been stored by a process that ended before it closed the reconciliations.
  await sql`update operations set state = 'done', released = false`.execute(database.queries);
  const ended = await Promise.all(
    Array.from({ length: 25 }, () => closeReconciliations({ ...context, database })),
  );
  expect(ended.reduce((sum, count) => sum + count, 0)).toBe(2);
  const { rows } =
    await sql`select status, count(*) as n from cluster_statuses group by 1 order by 1`.execute(
      database.queries,
    );
  expect(rows).toEqual([
    { status: 'ready', n: 2 },
    { status: 'reconcile_pending', n: 2 },
    { status: 'reconciling', n: 2 },
  ]);
});

const ofAccount = (account: string, id: string, components: readonly string[]) => {
  const document = clusterDocument(id, components);
  return { ...document, metadata: { ...document.metadata, globalAccountID: account } };
};

describe('a tenant with very many operations delays those of others by its share at most', () => {
  const many = Array.from({ length: 20 }, (_, n) => `c${n}`);
  const CLUSTERS = 60;

  async function openWithHostile() {
    const steps = await open();
    const { inventory, schedule, claim, database } = steps;
    for (let n = 0; n < CLUSTERS; n++) await inventory.upsert(ofAccount('hostile', `h${n}`, many), 1);
    /** Operations that are claimed until all of the run of `honest` are. */
    const claimedUntilAll = async (): Promise<number> => {
      await sql`update operations set released = true where state = 'new'`.execute(database.queries);
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from operations where runtime_id = 'honest' and released
      `.execute(database.queries);
      let left = rows[0]?.n ?? 0;
      expect(left).toBeGreaterThan(2);
      let claimed = 0;
      while (left > 0) {
        const some = await claim(50);
        if (some.length === 0) throw new Error('nothing is left to claim');
        claimed += some.length;
        left -= some.filter(({ runtime_id }) => runtime_id === 'honest').length;
      }
      return claimed;
    };
    return { ...steps, schedule, claimedUntilAll };
  }

  test('that were planned before', async () => {
    const { inventory, schedule, claimedUntilAll } = await openWithHostile();
    await schedule();
    await inventory.upsert(ofAccount('honest', 'honest', ['a', 'b', 'c']), 1);
    await schedule();
    expect(await claimedUntilAll()).toBeLessThan(CLUSTERS * many.length * 0.5);
  });

  test('that were planned at the same time', async () => {
    const { inventory, schedule, claimedUntilAll } = await openWithHostile();
    await inventory.upsert(ofAccount('honest', 'honest', ['a', 'b', 'c']), 1);
    await schedule();
    expect(await claimedUntilAll()).toBeLessThan(CLUSTERS * many.length * 0.5);
  });

  test('that begin with a lower rank', async () => {
    const { inventory, schedule, finish, claimedUntilAll, database } = await openWithHostile();
    await inventory.upsert(ofAccount('honest', 'honest', ['a', 'b', 'c']), 1);
    await sql`update runtimes set held = true where tenant = 'account hostile'`.execute(database.queries);
    await schedule();
    await finish();
    await sql`update runtimes set held = false`.execute(database.queries);
    await schedule();
    // An upgrade, after registrations.
    await inventory.upsert(ofAccount('honest', 'honest', ['a', 'b', 'c', 'd']), 1);
    await schedule();
    expect(await claimedUntilAll()).toBeLessThan(CLUSTERS * many.length * 0.5);
  });
});
