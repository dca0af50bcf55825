import { expect, test } from '@jest/globals';
import { requeueInProgress } from '../../controller/reconcile-result.ts';
import { clusterWidgets, createHarness, namespacedWidgets } from '../fakes/managed-harness.ts';
import { messageUpdated } from '../steps/messages/messages.ts';
import {
  boom,
  drifted,
  existing,
  failingPublisher,
  failingPuts,
  failure,
  poll,
  requeue,
  runScenarios,
  success,
  upToDate,
  withPolicies,
} from './scenario.ts';

const updated = `Normal UpdatedExternalResource: ${messageUpdated}`;
/** Observe fills in a size that was not asked for. */
const lateInitializing = {
  observe: (resource: { spec: { forProvider: { size?: number } } }) => {
    resource.spec.forProvider.size = 7;
    return { ...upToDate, lateInitialized: true };
  },
};

runScenarios('updating', () => [
  {
    title: '(ours) Observe follows Update',
    reason: 'an external API that shows an update at once need not be polled for it',
    given: {
      resource: existing,
      kind: { observeAfterUpdate: true },
      external: { observe: [drifted, upToDate] },
    },
    want: {
      result: poll,
      conditions: [success],
      upToDate: 'True/ObserveMatched',
      calls: ['observe', 'update', 'observe'],
    },
  },
  {
    title: '(ours) Observe follows Update and does not see it yet',
    reason: 'one reconcile writes once',
    given: { resource: existing, kind: { observeAfterUpdate: true }, external: { observe: drifted } },
    want: {
      result: poll,
      conditions: [success],
      upToDate: 'False/UpdateRequested size is 1, should be 2',
      calls: ['observe', 'update', 'observe'],
    },
  },
  {
    title: '(ours) Observe follows Update and finds it in progress',
    reason: 'it is read again before the next poll',
    given: {
      resource: existing,
      kind: { observeAfterUpdate: true },
      external: {
        observe: [drifted, { state: 'pending', operation: 'it is updating', checkAfterMs: 5000 }],
      },
    },
    want: {
      result: requeueInProgress(5000),
      upToDate: 'False/UpdateRequested size is 1, should be 2',
      calls: ['observe', 'update', 'observe'],
    },
  },
  {
    title: '[27] late-initialized values cannot be stored',
    reason: 'users must hear why the spec does not show them',
    given: { resource: existing, external: lateInitializing },
    fault: failingPuts(boom),
    want: {
      result: requeue,
      conditions: [failure('cannot update managed resource: boom')],
      events: ['Warning CannotUpdateManagedResource: boom'],
    },
  },
  {
    title: '(ours) late-initialized values are stored',
    reason: 'the spec then says what holds',
    given: { resource: existing, external: lateInitializing },
    want: {
      result: poll,
      conditions: [success],
      writes: ['update', 'update status'],
      check: (h) => expect(h.stored()?.spec.forProvider.size).toBe(7),
    },
  },
  {
    title: '[32] Update fails',
    reason: 'a difference that cannot be corrected is a failure',
    given: { resource: existing, external: { observe: drifted, update: boom } },
    want: {
      result: requeue,
      conditions: [failure('update failed: boom')],
      events: ['Warning CannotUpdateExternalResource: boom'],
    },
  },
  {
    title: '[33] the updated connection details cannot be published',
    reason: 'rotated credentials must not vanish silently',
    given: {
      resource: existing,
      external: { observe: drifted, update: { connectionDetails: { password: 'x' } } },
      options: failingPublisher(boom, 2),
    },
    want: {
      result: requeue,
      conditions: [failure('boom')],
      events: ['Warning CannotPublishConnectionDetails: boom'],
    },
  },
  {
    title: '[34] Update succeeds',
    reason: 'the next poll says whether it helped',
    given: { resource: existing, external: { observe: drifted } },
    want: { result: poll, conditions: [success], events: [updated], calls: ['observe', 'update'] },
  },
  {
    title: '(ours) Update sets an annotation',
    reason: 'a later Observe compares with what was sent',
    given: {
      resource: existing,
      external: {
        observe: drifted,
        update: ({ metadata }) => {
          metadata.annotations = { ...metadata.annotations, 'example.org/sent': 'v2' };
          return {};
        },
      },
    },
    want: {
      result: poll,
      events: [updated],
      writes: ['update', 'update status'],
      check: (h) => expect(h.stored()?.metadata.annotations).toMatchObject({ 'example.org/sent': 'v2' }),
    },
  },
  {
    title: '[48] drift under a set without Update',
    reason: 'immutable by policy means that drift is left alone',
    given: {
      resource: withPolicies('Observe', 'LateInitialize', 'Create', 'Delete'),
      external: { observe: drifted },
    },
    want: { result: poll, conditions: [success], events: [], calls: ['observe'] },
  },
  {
    title: '[49] drift under the policy *',
    reason: 'all actions include Update',
    given: { resource: withPolicies('*'), external: { observe: drifted } },
    want: { result: poll, conditions: [success], events: [updated], calls: ['observe', 'update'] },
  },
  {
    title: '[50] drift under an explicit set with Update',
    reason: 'Update counts wherever it stands',
    given: { resource: withPolicies('Observe', 'Update'), external: { observe: drifted } },
    want: { result: poll, conditions: [success], events: [updated], calls: ['observe', 'update'] },
  },
  {
    title: '[51] late-initialized under a set without LateInitialize',
    reason: 'unrequested values stay out of the spec',
    given: {
      resource: withPolicies('Observe', 'Update', 'Create', 'Delete'),
      external: lateInitializing,
    },
    want: {
      result: poll,
      conditions: [success],
      events: [],
      writes: ['update status'],
      check: (h) => expect(h.stored()?.spec.forProvider).toEqual({}),
    },
  },
  {
    title: '(ours) late-initialized in the reconcile that adds the finalizer',
    reason: 'the write of the finalizer must not smuggle the values in',
    given: {
      resource: { spec: { managementPolicies: ['Observe', 'Update', 'Create', 'Delete'] } },
      external: lateInitializing,
    },
    want: {
      result: poll,
      writes: ['update', 'update status'],
      check: (h) => expect(h.stored()?.spec.forProvider).toEqual({}),
    },
  },
]);

test.each([
  { scope: 'Cluster', type: clusterWidgets },
  { scope: 'Namespaced', type: namespacedWidgets },
])('[35] connector and client are typed: they see the fields of their kind', async ({ type }) => {
  const sizes: (number | undefined)[] = [];
  const harness = createHarness({
    type,
    resource: { ...existing, spec: { forProvider: { size: 2 } } },
    external: {
      observe: drifted,
      update: (resource, ctx) => {
        sizes.push(resource.spec.forProvider.size);
        ctx.signal.throwIfAborted();
        return {};
      },
    },
  });
  expect(await harness.reconcile()).toEqual(poll);
  expect(sizes).toEqual([2]);
});
