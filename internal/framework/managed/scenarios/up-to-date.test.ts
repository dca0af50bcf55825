import { expect, test } from '@jest/globals';
import { ProviderError } from '../../base/errors/errors.ts';
import { createFakeWatchedObject } from '../../base/errors/fake-watched-object.ts';
import { pollAfter } from '../../controller/reconcile-result.ts';
import { createHarness, namespacedWidgets } from '../fakes/managed-harness.ts';
import {
  boom,
  deleted,
  drifted,
  existing,
  poll,
  requeue,
  runScenarios,
  upToDate,
  upToDateOf,
  withPolicies,
} from './scenario.ts';

const { diff } = drifted;
const stating = (status: 'True' | 'False', reason: string) => ({
  status: {
    conditions: [
      {
        type: 'UpToDate',
        status,
        reason,
        lastTransitionTime: '2023-01-01T00:00:00Z',
        observedGeneration: 42,
      },
    ],
  },
});
const matched = { ...existing, ...stating('True', 'ObserveMatched') };
const replaced = { ...drifted, replace: 'drift', externalName: 'w' } as const;
const targets = [createFakeWatchedObject()];
const failingPublisher = {
  publisher: { publish: async () => Promise.reject(boom), unpublish: async () => undefined },
};

runScenarios('UpToDate', () => [
  {
    title: '(ours) what was observed is what is asked',
    reason: 'an import can rely on it',
    given: { resource: existing, external: { observe: upToDate } },
    want: { result: poll, upToDate: 'True/ObserveMatched' },
  },
  {
    title: '(ours) Observe names the objects that it has read',
    reason: 'a changed Secret should not wait for the poll',
    given: { resource: existing, external: { observe: { ...upToDate, targets } } },
    want: { result: { ...poll, targets } },
  },
  {
    title: '(ours) Observe names them, and Update succeeds',
    reason: 'the next change may come before the poll too',
    given: { resource: existing, external: { observe: { ...drifted, targets } } },
    want: { result: { ...poll, targets } },
  },
  {
    title: '(ours) an Observe-only resource that differs',
    reason: 'nothing else would show what Update would do',
    given: { resource: withPolicies('Observe'), external: { observe: drifted } },
    want: { result: poll, upToDate: `False/UpdateRestricted ${diff}` },
  },
  {
    title: '(ours) a difference under a set without Update',
    reason: 'Synced=True alone would hide it',
    given: {
      resource: withPolicies('Observe', 'LateInitialize', 'Create', 'Delete'),
      external: { observe: drifted },
    },
    want: { result: poll, upToDate: `False/UpdateRestricted ${diff}` },
  },
  {
    title: '(ours) Update succeeds',
    reason: 'it may take a while, so that only the next Observe says more',
    given: { resource: existing, external: { observe: drifted } },
    want: { result: poll, upToDate: `False/UpdateRequested ${diff}` },
  },
  {
    title: '(ours) Update fails',
    reason: 'the difference stays, whatever the error was',
    given: { resource: matched, external: { observe: drifted, update: boom } },
    want: { result: requeue, upToDate: `False/UpdateFailed ${diff}` },
  },
  {
    title: '(ours) a difference that the client does not describe',
    reason: 'a difference is worth telling without its words',
    given: { resource: existing, external: { observe: { state: 'present', upToDate: false } } },
    want: { result: poll, upToDate: 'False/UpdateRequested' },
  },
  {
    title: '(ours) Update succeeds and its connection details cannot be published',
    reason: 'the change was requested all the same',
    given: {
      resource: existing,
      external: { observe: drifted, update: { connectionDetails: { password: 'x' } } },
      options: {
        publisher: {
          publish: (_, details) => ('password' in details ? Promise.reject(boom) : Promise.resolve(false)),
          unpublish: async () => undefined,
        },
      },
    },
    want: { result: requeue, upToDate: `False/UpdateRequested ${diff}` },
  },
  {
    title: '(ours) a replacement that the policies forbid',
    reason: 'it is a restriction like any other',
    given: { resource: withPolicies('Observe', 'Create', 'Update'), external: { observe: replaced } },
    want: { result: poll, upToDate: `False/UpdateRestricted ${diff}` },
  },
  {
    title: '(ours) a replacement that is drift, without Update',
    reason: 'it is a restriction like any other',
    given: { resource: withPolicies('Observe', 'Create', 'Delete'), external: { observe: replaced } },
    want: { result: poll, upToDate: `False/UpdateRestricted ${diff}` },
  },
  {
    title: '(ours) the Delete of a replacement fails',
    reason: 'the difference stays',
    given: { resource: existing, external: { observe: replaced, delete: boom } },
    want: { result: requeue, upToDate: `False/UpdateFailed ${diff}` },
  },
  {
    title: '(ours) the Create of a replacement fails',
    reason: 'the difference is greater than before',
    given: { resource: existing, external: { observe: replaced, create: boom } },
    want: { result: requeue, upToDate: `False/UpdateFailed ${diff}` },
  },
  {
    title: '(ours) a replacement succeeds',
    reason: 'it was not observed yet',
    given: { resource: existing, external: { observe: replaced } },
    want: { result: requeue, upToDate: `False/UpdateRequested ${diff}` },
  },
  {
    title: '(ours) a replacement succeeds, observed after Create',
    reason: 'what was seen last counts',
    given: {
      resource: existing,
      kind: { observeAfterCreate: true },
      external: { observe: [replaced, upToDate] },
    },
    want: { result: poll, upToDate: 'True/ObserveMatched' },
  },
  {
    title: '(ours) created, observed after Create',
    reason: 'the first reconcile states everything',
    given: {
      kind: { observeAfterCreate: true },
      external: { observe: [{ state: 'absent' }, upToDate] },
    },
    want: { result: poll, upToDate: 'True/ObserveMatched' },
  },
  {
    title: '(ours) created, and the observation after it finds a difference',
    reason: 'the next reconcile corrects it and states so',
    given: {
      kind: { observeAfterCreate: true },
      external: { observe: [{ state: 'absent' }, drifted] },
    },
    want: { result: requeue, upToDate: undefined },
  },
  {
    title: '(ours) the external resource is gone and created again',
    reason: 'there is nothing any more that could be as asked',
    given: { resource: matched, external: { observe: { state: 'absent' } } },
    want: { result: requeue, upToDate: undefined },
  },
  {
    title: '(ours) the external resource is gone and may not be created again',
    reason: 'there is nothing any more that could be as asked',
    given: {
      resource: { ...withPolicies('Observe'), ...stating('True', 'ObserveMatched') },
      external: { observe: { state: 'absent' } },
    },
    want: { result: poll, upToDate: undefined },
  },
  {
    title: '(ours) paused',
    reason: 'without an observation it is unknown',
    given: {
      resource: {
        ...matched,
        metadata: { ...existing.metadata, annotations: { 'crossplane.io/paused': 'true' } },
      },
    },
    want: { result: { type: 'done' }, upToDate: 'Unknown/ReconcilePaused' },
  },
  {
    title: '(ours) Observe fails',
    reason: 'what was seen last still counts',
    given: { resource: matched, external: { observe: boom } },
    want: { result: requeue, upToDate: 'True/ObserveMatched' },
  },
  {
    title: '(ours) a later step fails',
    reason: 'the comparison is stated by the reconcile that completes it',
    given: { resource: matched, external: { observe: upToDate }, options: failingPublisher },
    want: { result: requeue, upToDate: 'True/ObserveMatched' },
  },
  {
    title: '(ours) deleted',
    reason: 'there is no desired state any more',
    given: { resource: { ...deleted, ...stating('True', 'ObserveMatched') }, external: { observe: drifted } },
    want: { result: requeue, upToDate: 'True/ObserveMatched' },
  },
]);

test('an update that was refused for good still stands as failed when it is not repeated', async () => {
  const refused = new ProviderError('terminal', 'size 2 is not offered');
  const harness = createHarness({
    type: namespacedWidgets,
    resource: existing,
    external: { observe: drifted, update: refused },
  });
  await harness.reconcile();
  await harness.reconcile();
  expect(harness.external.calls.filter((verb) => verb === 'update')).toHaveLength(1);
  expect(upToDateOf(harness)).toBe(`False/UpdateFailed ${diff}`);
});

test('a difference that updates do not correct is stated once, however often it is tried', async () => {
  const harness = createHarness({
    type: namespacedWidgets,
    resource: existing,
    external: { observe: drifted },
  });
  for (let i = 0; i < 3; i++) {
    await harness.reconcile();
    await harness.clock.advance(60_000);
  }
  expect(harness.writes()).toEqual(['update status']);
});

test('a difference that stays is written once', async () => {
  const harness = createHarness({
    type: namespacedWidgets,
    resource: withPolicies('Observe'),
    external: { observe: drifted },
    options: { pollIntervalMs: 1000 },
  });
  for (let i = 0; i < 3; i++) expect(await harness.reconcile()).toEqual(pollAfter(1000));
  expect(harness.writes()).toEqual(['update status']);
});
