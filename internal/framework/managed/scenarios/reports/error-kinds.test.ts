import { describe, expect, test } from '@jest/globals';
import { ProviderError, ThrottledError, WaitingError, wrap } from '../../../base/errors/errors.ts';
import { createFakeWatchedObject } from '../../../base/errors/fake-watched-object.ts';
import { requeueAfter } from '../../../controller/reconcile-result.ts';
import { createHarness, namespacedWidgets } from '../../fakes/managed-harness.ts';
import { setConditions, unavailable } from '../../resource/conditions.ts';
import {
  conditionsOf,
  creating,
  deleted,
  deleting,
  drifted,
  existing,
  failure,
  notReady,
  poll,
  requeue,
  runScenarios,
  upToDate,
} from '../scenario.ts';

const waiting = (message: string) => `Synced=False/Waiting ${message}`;
const missing = new WaitingError('Secret shop/admin not found');
const refused = new ProviderError('terminal', 'size 9 is not offered');

runScenarios('kinds of errors', () => [
  {
    title: '[7b] Connect waits',
    reason: 'waiting is no failure: no Warning, no prefix, no backoff',
    given: { external: { connect: missing } },
    want: {
      result: poll,
      conditions: [waiting('Secret shop/admin not found')],
      events: ['Normal Waiting: Secret shop/admin not found'],
    },
  },
  {
    title: '(ours) Connect waits for what no watch reports',
    reason: 'an unreachable cluster is tried again with backoff besides',
    given: { external: { connect: new WaitingError('cluster kyma-1 does not answer', { retry: true }) } },
    want: { result: requeue, conditions: [waiting('cluster kyma-1 does not answer')] },
  },
  {
    title: '(ours) a wrapped wait for what no watch reports',
    reason: 'context added on the way changes nothing',
    given: {
      external: { connect: wrap(new WaitingError('no answer', { retry: true }), 'cannot get Secret') },
    },
    want: { result: requeue, conditions: [waiting('cannot get Secret: no answer')] },
  },
  {
    title: '(ours) another resource has what Observe is about',
    reason: 'a user must decide, so it is a Warning; no backoff, since a watch trigger requeues the resource',
    given: { resource: existing, external: { observe: new ProviderError('contested', 'w is that of v') } },
    want: {
      result: poll,
      conditions: ['Synced=False/Conflict w is that of v'],
      events: ['Warning Conflict: w is that of v'],
    },
  },
  {
    title: '(ours) Observe waits',
    reason: 'any verb may wait',
    given: { resource: existing, external: { observe: missing } },
    want: { result: poll, conditions: [waiting('Secret shop/admin not found')] },
  },
  {
    title: '(ours) Create waits',
    reason: 'it was begun and ended without effect, which is recorded',
    given: { external: { create: missing } },
    want: {
      result: poll,
      conditions: [waiting('Secret shop/admin not found'), creating],
      events: ['Normal Waiting: Secret shop/admin not found'],
      check: (h) =>
        expect(h.stored()?.metadata.annotations).toHaveProperty(['crossplane.io/external-create-failed']),
    },
  },
  {
    title: '(ours) Create waits, and Ready was known before',
    reason: 'it was begun, so what Ready says is over',
    given: { resource: { ...existing, status: notReady }, external: { create: missing } },
    want: { result: poll, conditions: [waiting('Secret shop/admin not found'), creating] },
  },
  {
    title: '(ours) Update waits',
    reason: 'any verb may wait',
    given: { resource: existing, external: { observe: drifted, update: missing } },
    want: { result: poll, conditions: [waiting('Secret shop/admin not found')] },
  },
  {
    title: '(ours) Delete waits',
    reason: 'the resource is on its way out all the same',
    given: { resource: deleted, external: { observe: upToDate, delete: missing } },
    want: { result: poll, conditions: [waiting('Secret shop/admin not found'), deleting] },
  },
  {
    title: '(ours) what the connector says of Ready survives its failure',
    reason: 'only the connector knows what a missing source means for the resource',
    given: {
      external: {
        connect: (resource, ctx) => {
          setConditions(resource, ctx.clock, unavailable('no credentials'));
          throw missing;
        },
      },
    },
    want: {
      result: poll,
      conditions: [waiting('Secret shop/admin not found'), 'Ready=False/Unavailable no credentials'],
    },
  },
  {
    title: '(ours) the external API states a retry delay',
    reason: 'the next attempt comes when it said, not by our backoff',
    given: { external: { connect: new ThrottledError('too many requests', 17_000) } },
    want: {
      result: requeueAfter(17_000),
      conditions: [failure('connect failed: too many requests')],
      events: ['Warning CannotConnectToProvider: too many requests'],
    },
  },
  {
    title: '(ours) the external API states a retry delay of 0',
    reason: 'a zero must not become a hot loop',
    given: { external: { connect: new ThrottledError('too many requests', 0) } },
    want: { result: requeueAfter(1000) },
  },
  {
    title: '(ours) Connect is refused for good',
    reason: 'a poll is cheap and finds corrections',
    given: { external: { connect: new ProviderError('terminal', 'the kubeconfig would run a program') } },
    want: { result: poll, conditions: [failure('connect failed: the kubeconfig would run a program')] },
  },
  ...(['auth', 'not-found', 'transient', 'bug'] as const).map((kind) => ({
    title: `(ours) an error of kind ${kind}`,
    reason: 'it is retried with backoff',
    given: { external: { connect: new ProviderError(kind, 'x') } },
    want: { result: requeue, conditions: [failure('connect failed: x')] },
  })),
]);

describe('repeated reconciles', () => {
  const waitsFor = (...problems: string[]) => ({
    connect: () => {
      throw new WaitingError(problems.shift() ?? '');
    },
  });

  test('a wait has one event, although the missing object changes, and each status is written once', async () => {
    const external = waitsFor('a not found; b not found', 'a not found; b not found', 'b not found');
    const harness = createHarness({ type: namespacedWidgets, external });
    for (let i = 0; i < 2; i++) expect(await harness.reconcile()).toEqual(poll);
    await harness.clock.advance(5000);
    await harness.reconcile();
    expect(harness.recorder.lines()).toEqual(['Normal Waiting: a not found; b not found']);
    expect(harness.writes()).toEqual(['update status', 'update status']);
    expect(conditionsOf(harness)).toEqual([waiting('b not found')]);
  });

  test('a wait whose objects are created one after the other shows the last message, and not each', async () => {
    const external = waitsFor('a not found; b not found', 'b not found', 'b is not ready', 'b is not ready');
    const harness = createHarness({ type: namespacedWidgets, external });
    await harness.reconcile();
    await harness.clock.advance(1000);
    expect(await harness.reconcile()).toEqual({ type: 'requeue-after', delayMs: 3990, poll: false });
    await harness.clock.advance(1000);
    expect(await harness.reconcile()).toEqual({ type: 'requeue-after', delayMs: 2980, poll: false });
    expect(conditionsOf(harness)).toEqual([waiting('a not found; b not found')]);
    await harness.clock.advance(3000);
    await harness.reconcile();
    expect(conditionsOf(harness)).toEqual([waiting('b is not ready')]);
    expect(harness.writes()).toEqual(['update status', 'update status']);
  });

  test.each([
    { what: 'a failure', error: refused, result: poll, want: failure(`connect failed: ${refused.message}`) },
    {
      what: 'a wait that is retried with backoff',
      error: new WaitingError('no answer', { retry: true }),
      result: requeue,
      want: waiting('no answer'),
    },
  ])('$what that follows a wait is shown at once', async ({ error, result, want }) => {
    const errors = [missing, error];
    const connect = () => {
      throw errors.shift();
    };
    const harness = createHarness({ type: namespacedWidgets, external: { connect } });
    await harness.reconcile();
    expect(await harness.reconcile()).toEqual(result);
    expect(conditionsOf(harness)).toEqual([want]);
  });

  test('a wait shows its next message at once if the clock was set back', async () => {
    const harness = createHarness({
      type: namespacedWidgets,
      external: waitsFor('a not found; b not found', 'b not found'),
    });
    await harness.reconcile();
    harness.clock.jump(-3_600_000);
    expect(await harness.reconcile()).toEqual(poll);
    expect(conditionsOf(harness)).toEqual([waiting('b not found')]);
  });

  test('a wait that continues after the resource was changed has another event only if it differs', async () => {
    const external = waitsFor('a not found', 'a not found', 'b not found');
    const harness = createHarness({ type: namespacedWidgets, external });
    for (const size of [1, 2, 3]) {
      const stored = harness.stored();
      if (stored)
        await harness.client.update(namespacedWidgets, { ...stored, spec: { forProvider: { size } } });
      await harness.reconcile();
    }
    expect(harness.recorder.lines()).toEqual(['Normal Waiting: a not found', 'Normal Waiting: b not found']);
  });

  test('a create that was refused for good is not tried again before the spec changes', async () => {
    const harness = createHarness({
      type: namespacedWidgets,
      kind: { deterministicExternalName: true },
      external: { create: refused },
    });
    const creates = () => harness.external.calls.filter((verb) => verb === 'create').length;
    for (let i = 0; i < 3; i++) expect(await harness.reconcile()).toEqual(poll);
    expect(creates()).toBe(1);
    expect(harness.recorder.lines()).toEqual(['Warning CannotCreateExternalResource: size 9 is not offered']);
    expect(harness.stored()?.status?.conditions?.[0]?.message).toBe('create failed: size 9 is not offered');
    const stored = harness.stored();
    if (stored)
      await harness.client.update(namespacedWidgets, { ...stored, spec: { forProvider: { size: 3 } } });
    await harness.reconcile();
    expect(creates()).toBe(2);
  });

  test('an update that is refused until another object changes is tried again', async () => {
    const update = new ProviderError('terminal', 'a is full', { targets: [createFakeWatchedObject()] });
    const harness = createHarness({
      type: namespacedWidgets,
      resource: existing,
      external: { observe: drifted, update },
    });
    for (let i = 0; i < 2; i++) await harness.reconcile();
    expect(harness.external.calls.filter((verb) => verb === 'update')).toHaveLength(2);
  });

  test('an update that was refused for good is tried again on request', async () => {
    const harness = createHarness({
      type: namespacedWidgets,
      resource: existing,
      external: { observe: drifted, update: refused },
    });
    const updates = () => harness.external.calls.filter((verb) => verb === 'update').length;
    await harness.reconcile();
    await harness.reconcile();
    expect(updates()).toBe(1);
    await harness.client.mergePatch(
      namespacedWidgets,
      { namespace: 'shop', name: 'w' },
      { metadata: { annotations: { 'crossplane.io/reconcile-requested-at': 'now' } } },
    );
    await harness.reconcile();
    expect(updates()).toBe(2);
  });

  test('a delete that was refused for good is asked for again, since a deletion must go on', async () => {
    const harness = createHarness({
      type: namespacedWidgets,
      resource: deleted,
      external: { observe: upToDate, delete: refused },
    });
    await harness.reconcile();
    await harness.reconcile();
    expect(harness.external.calls.filter((verb) => verb === 'delete')).toHaveLength(2);
  });
});

describe('deadlines', () => {
  test('external calls end together after 60 s, and the failure is reported within 90 s', async () => {
    const harness = createHarness({
      type: namespacedWidgets,
      external: {
        observe: (_, { signal }) =>
          new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      },
    });
    const running = harness.reconcile();
    await harness.clock.advance(60_000);
    expect(await running).toEqual(requeue);
    expect(harness.stored()?.status?.conditions?.[0]?.message).toBe(
      'observe failed: timed out after 60 s: external calls for Widget shop/w',
    );
  });

  test('an Observe that ignores its deadline is left behind', async () => {
    const harness = createHarness({
      type: namespacedWidgets,
      external: { observe: () => new Promise(() => undefined) },
    });
    const running = harness.reconcile();
    await harness.clock.advance(60_000);
    expect(await running).toEqual(requeue);
    expect(harness.clock.pending()).toBe(0);
  });

  test('a Create that ignores its deadline is awaited, so that no second one runs beside it', async () => {
    const slow = Promise.withResolvers<object>();
    const harness = createHarness({ type: namespacedWidgets, external: { create: () => slow.promise } });
    let ended = false;
    const running = harness.reconcile().finally(() => {
      ended = true;
    });
    await harness.clock.advance(300_000);
    expect(ended).toBe(false);
    slow.resolve({});
    expect(await running).toEqual(requeue);
  });

  test('a process that must not write any more starts no call', async () => {
    const stop = new AbortController();
    const harness = createHarness({
      type: namespacedWidgets,
      external: {
        observe: () => {
          stop.abort(new Error('no longer the leader'));
          return { state: 'absent' };
        },
      },
    });
    await harness.reconcile(stop.signal).catch(() => undefined);
    expect(harness.external.calls).toEqual(['connect', 'observe', 'disconnect']);
  });
});

test('a conflict has one event, and another one if the holder changes', async () => {
  const rivals = ['v', 'v', 'u'];
  const h = createHarness({
    type: namespacedWidgets,
    resource: existing,
    external: {
      observe: () => {
        throw new ProviderError('contested', `w is that of ${rivals.shift()}`);
      },
    },
  });
  for (let i = 0; i < 3; i++) await h.reconcile();
  expect(h.recorder.lines()).toEqual([
    'Warning Conflict: w is that of v',
    'Warning Conflict: w is that of u',
  ]);
});
