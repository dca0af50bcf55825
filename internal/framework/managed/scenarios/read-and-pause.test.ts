import { expect, test } from '@jest/globals';
import { apiError } from '../../kube/fakes/memory-client.ts';
import { createHarness, namespacedWidgets } from '../fakes/managed-harness.ts';
import { messagePaused, messagePausedDeletion } from '../steps/messages/messages.ts';
import {
  boom,
  deleted,
  done,
  existing,
  failure,
  gone,
  isStatusPut,
  poll,
  runScenarios,
  success,
  upToDate,
  withPolicies,
} from './scenario.ts';

const paused = 'Synced=False/ReconcilePaused';
const pausedBefore = {
  conditions: [
    {
      type: 'Synced',
      status: 'False' as const,
      reason: 'ReconcilePaused',
      lastTransitionTime: '2023-01-01T00:00:00Z',
      observedGeneration: 42,
    },
  ],
};
const annotated = (name: string, value: string) => ({
  metadata: { ...existing.metadata, annotations: { [`crossplane.io/${name}`]: value } },
});
const notSupported = (set: string) =>
  `\`spec.managementPolicies\` is set to a value(${set}) which is not supported. Check docs for supported policies`;

runScenarios('reading and pausing', () => [
  {
    title: '[1] the read fails',
    reason: 'an API server that does not answer is an error to retry',
    given: { options: { read: () => Promise.reject(boom) } },
    want: { error: 'cannot get managed resource: boom', events: [], calls: [], writes: [] },
  },
  {
    title: '[2] the resource is gone',
    reason: 'a key may outlive its object',
    given: { options: { read: () => Promise.reject(apiError(404, 'NotFound')) } },
    want: { result: gone, events: [], calls: [], writes: [] },
  },
  {
    title: '[36] paused by annotation',
    reason: 'a paused resource is touched nowhere',
    given: { resource: annotated('paused', 'true') },
    want: {
      result: done,
      conditions: [paused],
      events: [`Normal ReconciliationPaused: ${messagePaused}`],
      calls: [],
      writes: ['update status'],
    },
  },
  {
    title: '[37] paused by empty management policies',
    reason: 'no action allowed means paused',
    given: { resource: withPolicies() },
    want: {
      result: done,
      conditions: [paused],
      events: [`Normal ReconciliationPaused: ${messagePaused}`],
      calls: [],
    },
  },
  {
    title: '[38] paused=false resumes',
    reason: 'only the value true pauses, and the old condition must not stay',
    given: {
      resource: { ...annotated('paused', 'false'), status: pausedBefore },
      external: { observe: upToDate },
    },
    want: { result: poll, conditions: [success] },
  },
  {
    title: '[39] paused and the status cannot be written',
    reason: 'an unwritten condition is an error to retry',
    given: { resource: annotated('paused', 'true') },
    fault: (request) => {
      if (isStatusPut(request)) throw boom;
    },
    want: {
      error: 'cannot update managed resource status: boom',
      events: [`Normal ReconciliationPaused: ${messagePaused}`],
      calls: [],
      writes: ['update status'],
    },
  },
  {
    title: '[40] policies set although the feature is off',
    reason: 'a restriction must not be ignored silently',
    given: { resource: withPolicies('Create'), options: { managementPolicies: false } },
    want: {
      result: done,
      conditions: [
        failure(
          '`spec.managementPolicies` is set to a non-default value but the feature is not enabled: [Create]',
        ),
      ],
      events: [
        'Warning CannotUseInvalidManagementPolicy: `spec.managementPolicies` is set to a non-default value but the feature is not enabled: [Create]',
      ],
      calls: [],
    },
  },
  {
    title: '[41] an unsupported set of policies',
    reason: 'nothing can be created that cannot be observed',
    given: { resource: withPolicies('Create') },
    want: {
      result: done,
      conditions: [failure(notSupported('[Create]'))],
      events: [`Warning CannotUseInvalidManagementPolicy: ${notSupported('[Create]')}`],
      calls: [],
    },
  },
  {
    title: '[42] a kind that supports only {Observe} meets *',
    reason: 'a kind may narrow what is supported',
    given: { resource: withPolicies('*'), kind: { supportedPolicies: [['Observe']] } },
    want: { result: done, conditions: [failure(notSupported('[*]'))], calls: [] },
  },
  {
    title: '(ours) an unsupported set is listed in order',
    reason: 'a message that changes its order would be a change in every reconcile',
    given: { resource: withPolicies('Update', 'Create', 'Delete') },
    want: { result: done, conditions: [failure(notSupported('[Create Delete Update]'))] },
  },
  {
    title: '[A5] (ours) paused and deleted says that the deletion waits',
    reason: 'a deletion that hangs silently looks like a bug',
    given: {
      resource: {
        metadata: {
          ...deleted.metadata,
          ...annotated('paused', 'true').metadata,
          ...{ deletionTimestamp: '2024-01-01T00:00:00Z' },
        },
      },
    },
    want: {
      result: done,
      conditions: [`${paused} ${messagePausedDeletion}`],
      events: [`Normal ReconciliationPaused: ${messagePausedDeletion}`],
      calls: [],
    },
  },
  {
    title: '[104] a new reconcile request',
    reason: 'the token in the status shows that the request was handled',
    given: { resource: annotated('reconcile-requested-at', 'token-1'), external: { observe: upToDate } },
    want: {
      result: poll,
      events: ['Normal ReconcileRequestHandled: Handling reconcile request'],
      check: (h) => expect(h.stored()?.status?.lastHandledReconcileAt).toBe('token-1'),
    },
  },
  {
    title: '[105] a reconcile request that was handled before',
    reason: 'an answered request causes no event',
    given: {
      resource: {
        ...annotated('reconcile-requested-at', 'token-1'),
        status: { lastHandledReconcileAt: 'token-1' },
      },
      external: { observe: upToDate },
    },
    want: {
      result: poll,
      events: [],
      check: (h) => expect(h.stored()?.status?.lastHandledReconcileAt).toBe('token-1'),
    },
  },
  {
    title: '(ours) a reconcile request on a paused resource',
    reason: 'nothing was reconciled, so the request is still open when the pause ends',
    given: {
      resource: {
        metadata: {
          annotations: { 'crossplane.io/paused': 'true', 'crossplane.io/reconcile-requested-at': 'token-1' },
        },
      },
    },
    want: {
      result: done,
      check: (h) => expect(h.stored()?.status?.lastHandledReconcileAt).toBeUndefined(),
    },
  },
  {
    title: '[A2] (ours) a reconcile request on a new resource',
    reason: 'the token must outlive the writes between its sight and the status',
    given: { resource: { metadata: { annotations: { 'crossplane.io/reconcile-requested-at': 'token-1' } } } },
    want: {
      result: { type: 'requeue' },
      writes: ['update', 'update', 'update status'],
      check: (h) => expect(h.stored()?.status?.lastHandledReconcileAt).toBe('token-1'),
    },
  },
]);

test('a pause is reported once, not in every reconcile', async () => {
  const harness = createHarness({ type: namespacedWidgets, resource: annotated('paused', 'true') });
  for (let i = 0; i < 3; i++) await harness.reconcile();
  expect(harness.recorder.lines()).toHaveLength(1);
  expect(harness.writes()).toEqual(['update status']);
});

test('[A5] a pause is reported again when the resource is deleted meanwhile', async () => {
  const harness = createHarness({ type: namespacedWidgets, resource: annotated('paused', 'true') });
  await harness.reconcile();
  await harness.client.delete(namespacedWidgets, { namespace: 'shop', name: 'w' });
  await harness.reconcile();
  await harness.reconcile();
  expect(harness.recorder.events.map((e) => e.message)).toEqual([messagePaused, messagePausedDeletion]);
});
