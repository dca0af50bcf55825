import { expect, test } from '@jest/globals';
import { gone, requeue } from '../../controller/reconcile-result.ts';
import {
  createHarness,
  type HarnessOptions,
  namespacedWidgets,
  type Widget,
} from '../fakes/managed-harness.ts';
import type { ManagedKind } from '../kind/managed-kind.ts';
import type { ConfigUse } from '../providerconfig/config-use.ts';
import { getCondition, setConditions, typeReady, unavailable } from '../resource/conditions.ts';
import { boom, conditionsOf, deleted, deleting, failure, runScenarios, upToDate } from './scenario.ts';

/** Records its calls together with the requests to the API server and the external API. */
function fakeUse(
  trace: string[],
  faults: { connect?: Error; end?: Error; endForDeleted?: Error } = {},
): ConfigUse {
  return {
    connect: async (_, connection) => {
      if (faults.connect) throw faults.connect;
      const client = await connection.open();
      trace.push('on record');
      return client;
    },
    end: async () => {
      trace.push('end');
      if (faults.end) throw faults.end;
    },
    endForDeleted: async (key, found) => {
      trace.push(`end of gone ${key}${found === undefined ? '' : ', found'}`);
      if (faults.endForDeleted) throw faults.endForDeleted;
    },
    source: { start: () => () => undefined, hasSynced: () => true, whenSynced: async () => undefined },
  };
}

const unready: Pick<ManagedKind<Widget>, 'connectFailed'> = {
  connectFailed: (resource, error, { clock }) =>
    setConditions(resource, clock, unavailable(error instanceof Error ? error.message : '')),
};

runScenarios('using a provider configuration', () => [
  {
    title: '(ours) the use cannot be recorded',
    reason: 'who is not on record could lose its configuration and never clean up',
    given: { kind: { ...unready, configUse: fakeUse([], { connect: boom }) } },
    want: {
      result: requeue,
      conditions: [failure('connect failed: boom'), 'Ready=False/Unavailable boom'],
      events: ['Warning CannotConnectToProvider: boom'],
      calls: [],
    },
  },
  {
    title: '(ours) Connect fails and the kind says what that means for Ready',
    reason: 'a resource that was never observed must not be without Ready',
    given: { kind: unready, external: { connect: boom } },
    want: {
      result: requeue,
      conditions: [failure('connect failed: boom'), 'Ready=False/Unavailable boom'],
    },
  },
  {
    title: '(ours) the use of a resource without the finalizer cannot be ended',
    reason: 'a usage that is not ended would block the configuration for ever',
    given: { resource: deleted, kind: { configUse: fakeUse([], { end: boom }) } },
    want: { result: requeue, events: [] },
  },
  {
    title: '(ours) the use of a resource that is orphaned but has other finalizers cannot be ended',
    reason: 'it says why it is still there',
    given: {
      resource: {
        metadata: {
          ...deleted.metadata,
          ...{ deletionTimestamp: '2024-01-01T00:00:00Z' },
          finalizers: ['other.example.org/hold'],
        },
      },
      kind: { configUse: fakeUse([], { end: boom }) },
    },
    want: { result: requeue, conditions: [failure('boom'), deleting], events: [] },
  },
  {
    title: '(ours) what is left of a predecessor cannot be cleared',
    reason: 'it is tried again',
    given: { kind: { configUse: fakeUse([], { endForDeleted: boom }) } },
    want: { error: 'boom', calls: [], writes: [] },
  },
]);

/** All calls of one reconcile, in order. */
async function recordedCalls(options: Omit<HarnessOptions, 'type'>): Promise<string[]> {
  const trace: string[] = [];
  const harness = createHarness({
    type: namespacedWidgets,
    ...options,
    kind: { ...options.kind, configUse: fakeUse(trace) },
  });
  harness.client.onRequest(({ verb, subresource }) => {
    trace.push([verb, subresource].filter(Boolean).join(' '));
  });
  await harness.reconcile();
  return trace;
}

test('the use of a resource ends when its finalizer is gone', async () => {
  expect(await recordedCalls({ resource: deleted })).toEqual([
    'end of gone shop/w, found',
    'on record',
    'update',
    'end',
  ]);
});

test('the use of an orphaned resource ends when its finalizer is gone, without being recorded again', async () => {
  const resource = { ...deleted, spec: { managementPolicies: ['Observe'] } };
  expect(await recordedCalls({ resource })).toEqual(['end of gone shop/w, found', 'update', 'end']);
});

test('the use of a resource continues while the external resource exists', async () => {
  const recorded = await recordedCalls({ resource: deleted, external: { observe: upToDate } });
  expect(recorded).toEqual(['end of gone shop/w, found', 'on record', 'get', 'update status']);
});

test('a resource that is gone is handled once more, and then its state is dropped', async () => {
  const trace: string[] = [];
  const harness = createHarness({
    type: namespacedWidgets,
    kind: { configUse: fakeUse(trace) },
    options: { read: () => undefined },
  });
  expect(await harness.reconcile()).toEqual(gone);
  expect(trace).toEqual(['end of gone shop/w']);
});

test('a failed Connect leaves what the connector itself said of Ready to the kind', async () => {
  const harness = createHarness({ type: namespacedWidgets, external: { connect: boom } });
  await harness.reconcile();
  const stored = harness.stored();
  expect(stored && getCondition(stored, typeReady)).toBeUndefined();
  expect(conditionsOf(harness)).toEqual([failure('connect failed: boom')]);
});
