import { expect, test } from '@jest/globals';
import { managedFinalizer } from '../../controller/reconcile/finalizer.ts';
import { requeueInProgress } from '../../controller/reconcile-result.ts';
import { LostResponseError } from '../../http/errors/errors.ts';
import { createHarness, type Harness, namespacedWidgets } from '../fakes/managed-harness.ts';
import { createIncompleteText } from '../steps/messages/messages.ts';
import {
  annotations,
  at,
  boom,
  created,
  creating,
  done,
  failingPublisher,
  failingPuts,
  failure,
  interrupted,
  poll,
  requeue,
  runScenarios,
  success,
  upToDate,
} from './scenario.ts';

/** The resource as it was in memory when an event was recorded. */
const inMemory = (harness: Harness, reason: string) =>
  annotations(harness.recorder.events.find((event) => event.reason === reason)?.object);

const before = '2023-12-31T00:00:00Z';
const condition = (type: string, status: 'True' | 'False' | 'Unknown', reason: string) => ({
  ...{ type, status, reason, lastTransitionTime: before, observedGeneration: 42 },
});
/** A create succeeded before the grace period, and its external resource was not found since. */
const neverFound = {
  metadata: {
    annotations: {
      'crossplane.io/external-create-pending': before,
      'crossplane.io/external-create-succeeded': before,
      'crossplane.io/external-name': 'made-up-42',
    },
  },
  status: { conditions: [condition('Ready', 'False', 'Creating')] },
};
const notFoundAgain = (advice: string) =>
  `the external resource was created, but is not found${advice}; it is not created again: correct crossplane.io/external-name, or remove the annotation crossplane.io/external-create-pending if it is safe to create another one`;
/** A create succeeded just now. */
const createdNow = (name?: string) => ({
  metadata: {
    annotations: {
      'crossplane.io/external-create-succeeded': at,
      ...(name === undefined ? {} : { 'crossplane.io/external-name': name }),
    },
  },
});
const notVisible = 'Normal PendingExternalResource: Waiting for external resource existence to be confirmed';

runScenarios('creating', () => [
  ...[
    { title: '(ours) created and never found', observation: { advice: 'it is elsewhere' } },
    { title: '(ours) created and never found, and Observe does not say why', observation: {} },
  ].map(({ title, observation }) => {
    const text = notFoundAgain(observation.advice === undefined ? '' : `: ${observation.advice}`);
    return {
      title,
      reason: 'creating it again and again would leave an external resource each time',
      given: { resource: neverFound, external: { observe: { state: 'absent' as const, ...observation } } },
      want: {
        result: poll,
        conditions: [failure(`observe failed: ${text}`), creating],
        events: [`Warning CannotObserveExternalResource: ${text}`],
        calls: ['observe'],
      },
    };
  }),
  {
    title: '(ours) created, never found, and the create has come to nothing',
    reason: 'nothing is left of it',
    given: { resource: neverFound, external: { observe: { state: 'absent', createFailed: true } } },
    want: { result: requeue, conditions: [success, creating], calls: ['observe', 'create'] },
  },
  {
    title: '(ours) created just now, and the create has come to nothing',
    reason: 'there is nothing that could become visible',
    given: {
      resource: createdNow(),
      external: { observe: { state: 'absent', createFailed: true } },
    },
    want: { result: requeue, conditions: [success, creating], calls: ['observe', 'create'] },
  },
  {
    title: '(ours) created, found before, and gone',
    reason: 'it was deleted elsewhere',
    given: {
      resource: {
        ...neverFound,
        status: {
          conditions: [
            condition('Ready', 'False', 'Creating'),
            condition('UpToDate', 'True', 'ObserveMatched'),
          ],
        },
      },
    },
    want: { result: requeue, conditions: [success, creating], calls: ['observe', 'create'] },
  },
  {
    title: '(ours) restored from a backup, which has no status',
    reason: 'whether its external resource was found is not known',
    given: { resource: { metadata: neverFound.metadata } },
    want: { result: requeue, conditions: [success, creating], calls: ['observe', 'create'] },
  },
  {
    title: '[8] a create whose outcome was never recorded',
    reason: 'creating again could leave an unknown external resource',
    given: { resource: interrupted },
    want: {
      result: done,
      conditions: [failure(createIncompleteText), creating],
      events: [`Warning CannotInitializeManagedResource: ${createIncompleteText}`],
      calls: [],
    },
  },
  ...[
    { title: '[13] created just now and not visible yet', resource: createdNow(), observation: {} },
    {
      title: '(ours) created just now under a recorded name, and not visible yet',
      resource: createdNow('w-1'),
      observation: {},
    },
    {
      title: '(ours) created just now under the name of Observe, and not visible yet',
      resource: createdNow('w-1'),
      observation: { externalName: 'w-1' },
    },
    {
      title: '(ours) created just now without a record of its name, and not visible yet',
      resource: createdNow(),
      observation: { externalName: 'w-1' },
    },
  ].map(({ title, resource, observation }) => ({
    title,
    reason: 'an external API that is eventually consistent must not be asked twice',
    given: { resource, external: { observe: { state: 'absent' as const, ...observation } } },
    want: { result: requeue, conditions: [], events: [notVisible], calls: ['observe'], writes: [] },
  })),
  {
    title: '[20] adding the finalizer fails',
    reason: 'nothing may exist outside that a deletion would forget',
    given: { external: { observe: upToDate } },
    fault: failingPuts(boom),
    want: {
      result: requeue,
      conditions: [failure('cannot update object: boom')],
      events: [],
      calls: ['observe'],
    },
  },
  {
    title: '[21] the intent to create cannot be stored',
    reason: 'without a record of the intent nothing is created',
    fault: failingPuts(boom),
    want: {
      result: requeue,
      conditions: [failure('cannot update managed resource: boom'), creating],
      events: ['Warning CannotUpdateManagedResource: cannot update managed resource: boom'],
      calls: ['observe'],
      check: (h) =>
        expect(inMemory(h, 'CannotUpdateManagedResource')).toEqual({ 'external-create-pending': at }),
    },
  },
  {
    title: '[22] Create fails and so does its record',
    reason: 'the failure itself must reach the user, whatever else fails',
    given: { external: { create: boom } },
    fault: failingPuts(boom, 2),
    want: {
      result: requeue,
      conditions: [failure('create failed: boom'), creating],
      events: [
        'Warning CannotUpdateManagedResource: cannot update critical annotations: boom',
        'Warning CannotCreateExternalResource: boom',
      ],
      calls: ['observe', 'create'],
      check: (h) =>
        expect(inMemory(h, 'CannotCreateExternalResource')).toEqual({
          'external-create-pending': at,
          'external-create-failed': at,
        }),
    },
  },
  {
    title: '(ours) Create fails',
    reason: 'a failure that is recorded may be tried again',
    given: { external: { create: boom } },
    want: {
      result: requeue,
      conditions: [failure('create failed: boom'), creating],
      events: ['Warning CannotCreateExternalResource: boom'],
      writes: ['update', 'update', 'update status'],
      check: (h) =>
        expect(annotations(h.stored())).toEqual({
          'external-create-pending': at,
          'external-create-failed': at,
        }),
    },
  },
  {
    title: '(ours) the response to Create was lost',
    reason: 'it may have succeeded, so it is not recorded as failed',
    given: { external: { create: new LostResponseError('no response') } },
    want: {
      result: requeue,
      conditions: [failure('create failed: no response'), creating],
      writes: ['update', 'update status'],
      check: (h) => expect(annotations(h.stored())).toEqual({ 'external-create-pending': at }),
    },
  },
  {
    title: '[23] Create succeeds but cannot be recorded',
    reason: 'users must see why the resource does not continue without them',
    fault: failingPuts(boom, 2),
    want: {
      result: requeue,
      conditions: [
        failure('cannot update managed resource annotations: cannot update critical annotations: boom'),
        creating,
      ],
      events: [
        'Warning CannotUpdateManagedResource: cannot update managed resource annotations: cannot update critical annotations: boom',
      ],
      calls: ['observe', 'create'],
      check: (h) =>
        expect(inMemory(h, 'CannotUpdateManagedResource')).toEqual({
          'external-create-pending': at,
          'external-create-succeeded': at,
        }),
    },
  },
  {
    title: '[24] the created connection details cannot be published',
    reason: 'details that only Create knows must not vanish silently',
    given: {
      external: { create: { connectionDetails: { password: 'x' } } },
      options: failingPublisher(boom, 2),
    },
    want: {
      result: requeue,
      conditions: [failure('boom'), creating],
      events: ['Warning CannotPublishConnectionDetails: boom'],
      check: (h) =>
        expect(annotations(h.stored())).toEqual({
          'external-create-pending': at,
          'external-create-succeeded': at,
        }),
    },
  },
  {
    title: '[A1] [25] Create succeeds',
    reason: 'the next Observe says when it is ready',
    given: { external: { create: { externalName: 'made-up-42' } } },
    want: {
      result: requeue,
      conditions: [success, creating],
      events: [created],
      calls: ['observe', 'create'],
      writes: ['update', 'update', 'update status'],
      check: (h) => {
        expect(annotations(h.stored())).toEqual({
          'external-create-pending': at,
          'external-create-succeeded': at,
          'external-name': 'made-up-42',
        });
        expect(h.stored()?.metadata.finalizers).toEqual([managedFinalizer]);
        expect(h.recorder.events[0]?.annotations).toEqual({ 'external-name': 'made-up-42' });
      },
    },
  },
  {
    title: '[46] missing under the policy *',
    reason: 'all actions include Create',
    want: {
      result: requeue,
      conditions: [success, creating],
      events: [created],
      calls: ['observe', 'create'],
    },
  },
  {
    title: '[47] missing under an explicit set with Create',
    reason: 'Create counts wherever it stands',
    given: { resource: { spec: { managementPolicies: ['Create', 'Observe'] } } },
    want: {
      result: requeue,
      conditions: [success, creating],
      events: [created],
      calls: ['observe', 'create'],
    },
  },
  {
    title: '(ours) Observe follows Create and does not see it yet',
    reason: 'a created resource may not be visible at once',
    given: { kind: { observeAfterCreate: true } },
    want: { result: requeue, conditions: [success, creating], calls: ['observe', 'create', 'observe'] },
  },
  {
    title: '(ours) Observe follows Create and finds it in progress',
    reason: 'it is read again when the external API says so',
    given: {
      kind: { observeAfterCreate: true },
      external: {
        observe: [{ state: 'absent' }, { state: 'pending', operation: 'copying', checkAfterMs: 5000 }],
      },
    },
    want: {
      result: requeueInProgress(5000),
      conditions: [`${success} copying`, `${creating} copying`],
      calls: ['observe', 'create', 'observe'],
    },
  },
  {
    title: '(ours) Observe follows Create and fails',
    reason: 'the create is recorded, and so is the failure',
    given: { kind: { observeAfterCreate: true }, external: { observe: [{ state: 'absent' }, boom] } },
    want: {
      result: requeue,
      conditions: [failure('observe failed: boom')],
      events: [created, 'Warning CannotObserveExternalResource: boom'],
      check: (h) => expect(annotations(h.stored())).toHaveProperty('external-create-succeeded'),
    },
  },
  {
    title: '(ours) Observe follows Create and sees a difference',
    reason: 'one reconcile writes once; the next one updates',
    given: {
      kind: { observeAfterCreate: true },
      external: { observe: [{ state: 'absent' }, { state: 'present', upToDate: false }] },
    },
    want: { result: requeue, conditions: [success], calls: ['observe', 'create', 'observe'] },
  },
]);

test('[A3] a create that failed is tried again, its stamps of the same second notwithstanding', async () => {
  const harness = createHarness({ type: namespacedWidgets, external: { create: boom } });
  await harness.reconcile();
  await harness.reconcile();
  expect(harness.external.calls.filter((verb) => verb === 'create')).toHaveLength(2);
});

test('a spec that changed before the create is not created by its old version', async () => {
  const harness = createHarness({
    type: namespacedWidgets,
    external: {
      observe: async () => {
        const newer = harness.stored();
        if (newer)
          await harness.client.update(namespacedWidgets, { ...newer, spec: { forProvider: { size: 9 } } });
        return { state: 'absent' };
      },
    },
  });
  expect(await harness.reconcile()).toEqual(requeue);
  expect(harness.external.calls).not.toContain('create');
  expect(harness.recorder.lines()).toEqual([]);
});
