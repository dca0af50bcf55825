import { expect, test } from '@jest/globals';
import { managedFinalizer } from '../../controller/reconcile/finalizer.ts';
import { requeueInProgress } from '../../controller/reconcile-result.ts';
import {
  clusterWidgets,
  createHarness,
  namespacedWidgets,
  type WidgetParts,
} from '../fakes/managed-harness.ts';
import { messageCreationUnknown, messageDeleted } from '../steps/messages/messages.ts';
import {
  boom,
  deleted,
  deleting,
  done,
  failingPublisher,
  failingPuts,
  failure,
  requeue,
  runScenarios,
  success,
  upToDate,
} from './scenario.ts';

const orphaned: WidgetParts = { ...deleted, spec: { managementPolicies: ['Observe', 'Create', 'Update'] } };
const holding = (...finalizers: string[]): WidgetParts => ({ metadata: { ...deleted.metadata, finalizers } });
const deletedEvent = `Normal DeletedExternalResource: ${messageDeleted}`;
const heldBy = (names: string) =>
  `${deleting} the deletion waits for other controllers, which must remove the ${names}`;
const heldEvent = (names: string) =>
  `Normal Waiting: the deletion waits for other controllers, which must remove the ${names}`;
const gone = (h: { stored(): unknown }) => expect(h.stored()).toBeUndefined();

runScenarios('deleting', () => [
  {
    title: '[3] orphaned, and unpublishing fails',
    reason: 'users of the details must be informed',
    given: { resource: orphaned, options: failingPublisher(boom, 0) },
    want: {
      result: requeue,
      conditions: [failure('boom'), deleting],
      events: ['Warning CannotUnpublishConnectionDetails: boom'],
      calls: [],
    },
  },
  {
    title: '[4] orphaned, and the finalizer cannot be removed',
    reason: 'the resource is still there, and so is the reason',
    given: { resource: orphaned },
    fault: failingPuts(boom),
    want: {
      result: requeue,
      conditions: [failure('cannot update object: boom'), deleting],
      events: [],
      calls: [],
    },
  },
  {
    title: '[5] orphaned',
    reason: 'there is no further external call',
    given: { resource: orphaned },
    want: {
      result: done,
      events: [],
      calls: [],
      writes: ['update'],
      check: (h) => {
        gone(h);
        expect(h.external.calls).toEqual([]);
      },
    },
  },
  {
    title: "[A6] (ours) orphaned beside another controller's finalizer",
    reason: 'what is left alone anyway need not wait for others',
    given: { resource: { ...orphaned, ...holding(managedFinalizer, 'other.example.org') } },
    want: {
      result: done,
      conditions: [success, heldBy('finalizer other.example.org')],
      events: [heldEvent('finalizer other.example.org')],
      writes: ['update', 'update status'],
      check: (h) => expect(h.stored()?.metadata.finalizers).toEqual(['other.example.org']),
    },
  },
  {
    title: "[7] another controller's finalizer, and it exists",
    reason: 'others may still need what the resource stands for',
    given: { resource: holding(managedFinalizer, 'other.example.org'), external: { observe: upToDate } },
    want: {
      result: requeue,
      conditions: [success, heldBy('finalizer other.example.org')],
      events: [heldEvent('finalizer other.example.org')],
      calls: ['observe'],
      writes: ['update status'],
    },
  },
  {
    title: '[7b] foregroundDeletion beside our finalizer',
    reason: 'garbage collection waits for us; waiting for it would be a deadlock',
    given: { resource: holding(managedFinalizer, 'foregroundDeletion'), external: { observe: upToDate } },
    want: { result: requeue, conditions: [success, deleting], calls: ['observe', 'delete'] },
  },
  {
    title: '[14] Delete fails',
    reason: 'the resource stays as long as the external one does',
    given: { resource: deleted, external: { observe: upToDate, delete: boom } },
    want: {
      result: requeue,
      conditions: [failure('delete failed: boom'), deleting],
      events: ['Warning CannotDeleteExternalResource: boom'],
    },
  },
  {
    title: '[15] Delete succeeds',
    reason: 'the next Observe says whether it is gone',
    given: { resource: deleted, external: { observe: upToDate } },
    want: {
      result: requeue,
      conditions: [success, deleting],
      events: [deletedEvent],
      calls: ['observe', 'delete'],
    },
  },
  {
    title: '(ours) Observe follows Delete and finds it gone',
    reason:
      'where the external API is done at once the deletion ends in one reconcile, by one write and an event',
    given: {
      kind: { observeAfterDelete: true },
      resource: deleted,
      external: { observe: [upToDate, { state: 'absent' }] },
    },
    want: {
      result: done,
      events: [deletedEvent],
      calls: ['observe', 'delete', 'observe'],
      writes: ['update'],
      check: gone,
    },
  },
  {
    title: '(ours) Observe follows Delete and still finds it',
    reason: 'what takes its time is observed again later',
    given: { kind: { observeAfterDelete: true }, resource: deleted, external: { observe: upToDate } },
    want: {
      result: requeue,
      conditions: [success, deleting],
      events: [deletedEvent],
      calls: ['observe', 'delete', 'observe'],
    },
  },
  {
    title: '(ours) Observe follows Delete and fails',
    reason: 'the finalizer stays until an observation shows that nothing is left',
    given: {
      kind: { observeAfterDelete: true },
      resource: deleted,
      external: { observe: [upToDate, boom] },
    },
    want: {
      result: requeue,
      conditions: [failure('observe failed: boom'), deleting],
      events: [deletedEvent, 'Warning CannotObserveExternalResource: boom'],
      check: (h) => expect(h.stored()?.metadata.finalizers).toEqual([managedFinalizer]),
    },
  },
  {
    title: '[16] gone, and unpublishing fails',
    reason: 'the resource stays until all of it is cleaned up',
    given: { resource: deleted, options: failingPublisher(boom, 0) },
    want: {
      result: requeue,
      conditions: [failure('boom'), deleting],
      events: ['Warning CannotUnpublishConnectionDetails: boom'],
    },
  },
  {
    title: '[17] gone, and the finalizer cannot be removed',
    reason: 'it is tried again',
    given: { resource: deleted },
    fault: failingPuts(boom),
    want: { result: requeue, conditions: [failure('cannot update object: boom'), deleting], events: [] },
  },
  {
    title: '[18] gone',
    reason: 'a status would be written to an object that is no more',
    given: { resource: deleted },
    want: { result: done, events: [], calls: ['observe'], writes: ['update'], check: gone },
  },
  {
    title: '(ours) deleted while an external operation is in progress',
    reason: 'an operation under way must end before the next one is asked for',
    given: {
      resource: deleted,
      external: { observe: { state: 'pending', operation: 'creating', checkAfterMs: 5000 } },
    },
    want: {
      result: requeueInProgress(5000),
      conditions: [`${success} creating`, `${deleting} creating`],
      calls: ['observe'],
      writes: ['update status'],
    },
  },
  {
    title: '(ours) deleted although the outcome of a create is unknown',
    reason: 'a deletion must not hang, but its user must know what may be left',
    given: {
      resource: {
        metadata: {
          ...deleted.metadata,
          ...{ deletionTimestamp: '2024-01-01T00:00:00Z' },
          annotations: { 'crossplane.io/external-create-pending': '2023-12-31T00:00:00Z' },
        },
      },
    },
    want: {
      result: done,
      events: [`Warning CreationResultUnknown: ${messageCreationUnknown}`],
      calls: ['observe'],
      check: gone,
    },
  },
  {
    title: '(ours) deleted without our finalizer',
    reason: 'no external resource was ever observed',
    given: { resource: holding('foregroundDeletion'), external: { observe: upToDate } },
    want: { result: done, events: [], calls: [], writes: [] },
  },
]);

test('a deletion that is requested and done takes two reconciles', async () => {
  const harness = createHarness({
    type: namespacedWidgets,
    resource: deleted,
    external: { observe: [upToDate, { state: 'absent' }] },
  });
  expect(await harness.reconcile()).toEqual(requeue);
  expect(await harness.reconcile()).toEqual(done);
  expect(harness.stored()).toBeUndefined();
  expect(harness.recorder.lines()).toEqual([deletedEvent]);
});

test.each([
  {
    what: 'beside the recorded name',
    annotations: {
      'crossplane.io/external-name': 'own',
      'crossplane.io/external-create-pending': '2023-12-31T00:00:00Z',
    },
  },
  { what: 'before any create', annotations: {} },
])(
  'what is found by another name, $what, does not become that of the deleted resource',
  async ({ annotations }) => {
    const harness = createHarness({
      type: namespacedWidgets,
      resource: { ...deleted, metadata: { ...deleted.metadata, annotations } },
      external: { observe: { ...upToDate, externalName: 'of others' } },
    });
    await harness.reconcile();
    expect(harness.stored()?.metadata.annotations ?? {}).toEqual(annotations);
  },
);

test('the name of what a create without an outcome has made is stored before Delete, which needs it', async () => {
  const annotations = { 'crossplane.io/external-create-pending': '2023-12-31T00:00:00Z' };
  const harness = createHarness({
    type: namespacedWidgets,
    resource: { ...deleted, metadata: { ...deleted.metadata, annotations } },
    external: { observe: { ...upToDate, externalName: 'made-1' } },
  });
  const callsBefore: string[][] = [];
  harness.client.onRequest(({ verb, subresource }) => {
    if (verb === 'update' && subresource === undefined) callsBefore.push([...harness.external.calls]);
  });
  await harness.reconcile();
  expect(harness.stored()?.metadata.annotations).toMatchObject({ 'crossplane.io/external-name': 'made-1' });
  expect(callsBefore[0]).not.toContain('delete');
  expect(harness.external.calls).toContain('delete');
});

test('legacy resources orphan by their deletion policy', async () => {
  const harness = createHarness({
    type: clusterWidgets,
    resource: { ...deleted, spec: { managementPolicies: ['*'], deletionPolicy: 'Orphan' } },
    external: { observe: upToDate },
  });
  expect(await harness.reconcile()).toEqual(done);
  expect(harness.external.calls).toEqual([]);
  expect(harness.stored()).toBeUndefined();
});

test('a resource that was deleted during its reconcile causes no error', async () => {
  const harness = createHarness({
    type: namespacedWidgets,
    external: {
      connect: async () => {
        await harness.client.delete(namespacedWidgets, { namespace: 'shop', name: 'w' });
        throw boom;
      },
    },
  });
  expect(await harness.reconcile()).toEqual(requeue);
  expect(await harness.reconcile()).toEqual({ type: 'gone' });
});

test('a deletion that finalizers of others hold is reported once for the same finalizers', async () => {
  const resource = holding('b.example.org', managedFinalizer, 'a.example.org');
  const h = createHarness({ type: clusterWidgets, resource, external: { observe: upToDate } });
  await h.reconcile();
  await h.reconcile();
  expect(h.recorder.lines()).toEqual([heldEvent('finalizers b.example.org, a.example.org')]);
  expect(h.writes()).toEqual(['update status']);
});
