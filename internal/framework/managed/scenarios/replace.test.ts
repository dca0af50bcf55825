import { expect, test } from '@jest/globals';
import { createHarness, namespacedWidgets } from '../fakes/managed-harness.ts';
import { messageCreated, messageDeleted } from '../steps/messages/messages.ts';
import {
  boom,
  creating,
  existing,
  failure,
  poll,
  requeue,
  runScenarios,
  success,
  upToDate,
  withPolicies,
} from './scenario.ts';

const named = (name: string) => ({
  metadata: { ...existing.metadata, annotations: { 'crossplane.io/external-name': name } },
});
const identity = {
  state: 'present',
  upToDate: false,
  replace: 'identity',
  externalName: 'new',
  diff: 'was old',
} as const;
const drift = {
  state: 'present',
  upToDate: false,
  replace: 'drift',
  externalName: 'old',
  diff: 'isDefault is false',
} as const;
const nameOf = (resource: { metadata: { annotations?: Record<string, string> } } | undefined) =>
  resource?.metadata.annotations?.['crossplane.io/external-name'];
const events = [
  `Normal DeletedExternalResource: ${messageDeleted}`,
  `Normal CreatedExternalResource: ${messageCreated}`,
];

runScenarios('replacing', () => [
  {
    title: '(ours) the resource stands for another external one now',
    reason:
      'the recorded one is deleted under its name before the new name is recorded, and never stays behind',
    given: {
      resource: named('old'),
      kind: { deterministicExternalName: true },
      external: {
        observe: identity,
        delete: (resource) => {
          expect(nameOf(resource)).toBe('old');
          return {};
        },
        create: (resource) => {
          expect(nameOf(resource)).toBe('new');
          return {};
        },
      },
    },
    want: {
      result: requeue,
      conditions: [success, creating],
      events,
      calls: ['observe', 'delete', 'create'],
      writes: ['update', 'update', 'update status'],
      check: (h) => expect(nameOf(h.stored())).toBe('new'),
    },
  },
  {
    title: '(ours) a field that cannot be changed in place, observed after Create',
    reason: 'the reconcile that replaces it ends ready',
    given: {
      resource: named('old'),
      kind: { deterministicExternalName: true, observeAfterCreate: true },
      external: { observe: [drift, upToDate] },
    },
    want: { result: poll, conditions: [success], events, calls: ['observe', 'delete', 'create', 'observe'] },
  },
  {
    title: '(ours) the Delete of a replacement fails',
    reason: 'nothing new is made beside the old, whose name stays recorded',
    given: { resource: named('old'), external: { observe: identity, delete: boom } },
    want: {
      result: requeue,
      conditions: [failure('delete failed: boom')],
      events: ['Warning CannotDeleteExternalResource: boom'],
      calls: ['observe', 'delete'],
      writes: ['update status'],
      check: (h) => expect(nameOf(h.stored())).toBe('old'),
    },
  },
  {
    title: '(ours) a replacement without Delete among the policies',
    reason: 'one condition names what is missing, and nothing is half done',
    given: { resource: withPolicies('Observe', 'Create', 'Update'), external: { observe: identity } },
    want: {
      result: poll,
      conditions: [
        failure(
          'the external resource must be deleted and created again (was old), but spec.managementPolicies does not allow Delete',
        ),
      ],
      events: [
        'Warning CannotReplaceExternalResource: the external resource must be deleted and created again (was old), but spec.managementPolicies does not allow Delete',
      ],
      calls: ['observe'],
    },
  },
  {
    title: '(ours) a replacement with neither Create nor Delete among the policies',
    reason: 'both are named',
    given: { resource: withPolicies('Observe', 'Update'), external: { observe: drift } },
    want: {
      result: poll,
      conditions: [
        failure(
          'the external resource must be deleted and created again (isDefault is false), but spec.managementPolicies does not allow Create and Delete',
        ),
      ],
      calls: ['observe'],
    },
  },
  {
    title: '(ours) drift that only a replacement corrects, without Update among the policies',
    reason: 'without Update drift is left alone, here too, and said so',
    given: { resource: withPolicies('Observe', 'Create', 'Delete'), external: { observe: drift } },
    want: {
      result: poll,
      conditions: [
        `${success} a difference (isDefault is false) is left alone, since spec.managementPolicies does not allow Update`,
      ],
      events: [],
      calls: ['observe'],
    },
  },
  {
    title: '(ours) a forbidden replacement whose reason Observe does not say',
    reason: 'the message needs no reason',
    given: {
      resource: withPolicies('Observe', 'Create', 'Update'),
      external: { observe: { state: 'present', upToDate: false, replace: 'identity' } },
    },
    want: {
      result: poll,
      conditions: [
        failure(
          'the external resource must be deleted and created again, but spec.managementPolicies does not allow Delete',
        ),
      ],
    },
  },
  {
    title: '(ours) drift that is left alone and that Observe does not describe',
    reason: 'the message needs no description',
    given: {
      resource: withPolicies('Observe', 'Create', 'Delete'),
      external: { observe: { state: 'present', upToDate: false, replace: 'drift' } },
    },
    want: {
      result: poll,
      conditions: [
        `${success} a difference is left alone, since spec.managementPolicies does not allow Update`,
      ],
    },
  },
  {
    title: '(ours) another identity, without Update among the policies',
    reason: 'a new identity needs Create and Delete alone',
    given: { resource: withPolicies('Observe', 'Create', 'Delete'), external: { observe: identity } },
    want: { result: requeue, calls: ['observe', 'delete', 'create'] },
  },
]);

test('a forbidden replacement is reported once', async () => {
  const harness = createHarness({
    type: namespacedWidgets,
    resource: withPolicies('Observe', 'Create', 'Update'),
    external: { observe: identity },
  });
  for (let i = 0; i < 3; i++) await harness.reconcile();
  expect(harness.recorder.lines()).toHaveLength(1);
});

test('a replacement that was interrupted after Delete goes on with Create', async () => {
  const harness = createHarness({
    type: namespacedWidgets,
    resource: named('old'),
    kind: { deterministicExternalName: true },
    external: { observe: [identity, { state: 'absent', externalName: 'new' }] },
  });
  let puts = 0;
  harness.client.onRequest(({ verb, subresource }) => {
    if (verb === 'update' && subresource === undefined && ++puts === 1) throw boom;
  });
  await harness.reconcile();
  expect(harness.external.calls).not.toContain('create');
  await harness.reconcile();
  expect(harness.external.calls.filter((verb) => !/connect|observe/.test(verb))).toEqual([
    'delete',
    'create',
  ]);
  expect(nameOf(harness.stored())).toBe('new');
});
