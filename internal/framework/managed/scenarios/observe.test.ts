import { expect, test } from '@jest/globals';
import { managedFinalizer } from '../../controller/reconcile/finalizer.ts';
import { pollAfter, requeueInProgress } from '../../controller/reconcile-result.ts';
import { apiError, type MemoryRequest } from '../../kube/fakes/memory-client.ts';
import { secrets } from '../../kube/object/resource-type.ts';
import { createHarness, namespacedWidgets, type Widget } from '../fakes/managed-harness.ts';
import { jitterSpan } from '../kind/poll.ts';
import { available, setConditions } from '../resource/conditions.ts';
import { setAnnotation } from '../resource/meta.ts';
import {
  boom,
  creating,
  drifted,
  existing,
  failingPublisher,
  failingPuts,
  failure,
  isStatusPut,
  poll,
  requeue,
  runScenarios,
  success,
  upToDate,
  withPolicies,
} from './scenario.ts';

const every = (pollIntervalMs: number) => ({ pollIntervalMs });
const notExisting = 'external resource does not exist';

runScenarios('observing', () => [
  {
    title: '[12] Observe fails',
    reason: 'a failure is retried with backoff, however long the poll',
    given: { resource: existing, external: { observe: boom }, options: every(600_000) },
    want: {
      result: requeue,
      conditions: [failure('observe failed: boom')],
      events: ['Warning CannotObserveExternalResource: boom'],
    },
  },
  {
    title: '[19] publishing after Observe fails',
    reason: 'details that cannot be published are a failure',
    given: { external: { observe: upToDate }, options: failingPublisher(boom, 1) },
    want: {
      result: requeue,
      conditions: [failure('boom')],
      events: ['Warning CannotPublishConnectionDetails: boom'],
      writes: ['update status'],
    },
  },
  {
    title: '(ours) the connection details of Observe',
    reason: 'users read them from the Secret that the resource names',
    given: {
      resource: { ...existing, spec: { writeConnectionSecretToRef: { name: 'access', namespace: 'shop' } } },
      external: { observe: { ...upToDate, connectionDetails: { password: 'x' } } },
    },
    want: {
      result: poll,
      writes: ['create secrets', 'update status'],
      check: (h) =>
        expect(h.client.peek(secrets, { namespace: 'shop', name: 'access' })?.data).toEqual({
          password: 'eA==',
        }),
    },
  },
  {
    title: '[28] exists and up to date',
    reason: 'the steady state',
    given: { resource: existing, external: { observe: upToDate } },
    want: { result: poll, conditions: [success], events: [], calls: ['observe'], writes: ['update status'] },
  },
  {
    title: '[29] the poll with a jitter of 1 s',
    reason: 'polls must not come in waves',
    given: {
      resource: existing,
      external: { observe: upToDate },
      options: { pollIntervalHook: jitterSpan(1000, () => 0.75) },
    },
    want: { result: pollAfter(60_500), conditions: [success] },
  },
  {
    title: '[30] a hook that doubles the poll',
    reason: 'a kind may know a better poll interval',
    given: {
      resource: existing,
      external: { observe: upToDate },
      kind: { pollIntervalHook: (_, ms) => 2 * ms },
    },
    want: { result: pollAfter(120_000), conditions: [success] },
  },
  {
    title: "[31] the controller's jitter and the kind's hook",
    reason: 'hooks replace each other',
    given: {
      resource: existing,
      external: { observe: upToDate },
      options: { pollIntervalHook: jitterSpan(1000, () => 0.75) },
      kind: { pollIntervalHook: (_, ms) => 3 * ms },
    },
    want: { result: pollAfter(180_000), conditions: [success] },
  },
  ...pollAnnotations(),
  {
    title: '[43] only observed, and missing',
    reason: 'it may be created later, so it is polled',
    given: { resource: withPolicies('Observe'), options: every(600_000) },
    want: {
      result: pollAfter(600_000),
      conditions: [failure(`observe failed: ${notExisting}`)],
      events: [`Warning CannotObserveExternalResource: ${notExisting}`],
      calls: ['observe'],
    },
  },
  {
    title: '[44] only observed, and publishing fails',
    reason: 'details are published under every policy',
    given: {
      resource: withPolicies('Observe'),
      external: { observe: upToDate },
      options: failingPublisher(boom, 1),
    },
    want: { result: requeue, conditions: [failure('boom')] },
  },
  {
    title: '[45] only observed, and not up to date',
    reason: 'a difference is seen and left alone',
    given: { resource: withPolicies('Observe'), external: { observe: drifted } },
    want: { result: poll, conditions: [success], events: [], calls: ['observe'] },
  },
  {
    title: '(ours) only observed, the finalizer is added',
    reason: 'it is added under every policy',
    given: { resource: { spec: { managementPolicies: ['Observe'] } }, external: { observe: upToDate } },
    want: {
      result: poll,
      writes: ['update', 'update status'],
      check: (h) => expect(h.stored()?.metadata.finalizers).toEqual([managedFinalizer]),
    },
  },
  ...[
    { title: '[52] missing under Observe and LateInitialize', set: ['Observe', 'LateInitialize'] },
    {
      title: '[53] missing under Observe, Update and LateInitialize',
      set: ['Observe', 'Update', 'LateInitialize'],
    },
    { title: '(ours) missing under Observe and Update', set: ['Observe', 'Update'] },
    { title: '(ours) missing under Observe and Delete', set: ['Observe', 'Delete'] },
  ].map(({ title, set }) => ({
    title,
    reason: 'it cannot be created and must not be updated; one condition says so',
    given: { resource: withPolicies(...set) },
    want: {
      result: poll,
      conditions: [
        failure(`observe failed: ${notExisting}, and spec.managementPolicies does not allow Create`),
      ],
      calls: ['observe'],
    },
  })),
  {
    title: '(ours) found under another name than the recorded one',
    reason: 'an adopted resource is recorded with the finalizer, in one write',
    given: { external: { observe: { ...upToDate, externalName: 'a/b' } } },
    want: {
      result: poll,
      conditions: [success],
      writes: ['update', 'update status'],
      check: (h) =>
        expect(h.stored()?.metadata.annotations).toEqual({ 'crossplane.io/external-name': 'a/b' }),
    },
  },
  {
    title: '(ours) found under the name that Create would use',
    reason: 'the name belongs to the resource, even if no status is stored before the desired name changes',
    given: {
      kind: { deterministicExternalName: true, creationGracePeriodMs: 0 },
      external: { observe: { ...upToDate, externalName: 'a/b' } },
    },
    want: {
      result: poll,
      conditions: [success],
      writes: ['update', 'update status'],
      check: (h) =>
        expect(h.stored()?.metadata.annotations).toEqual({
          'crossplane.io/external-name': 'a/b',
          'crossplane.io/external-create-intent': `${h.stored()?.metadata.uid} a/b`,
        }),
    },
  },
  {
    title: '(ours) Observe sets an annotation',
    reason: 'what a kind must remember of what it saw may be nowhere else to be found',
    given: {
      resource: existing,
      external: {
        observe: (resource) => {
          setAnnotation(resource, 'example.org/seen', 'yes');
          return upToDate;
        },
      },
    },
    want: {
      result: poll,
      conditions: [success],
      writes: ['update', 'update status'],
      check: (h) => expect(h.stored()?.metadata.annotations).toEqual({ 'example.org/seen': 'yes' }),
    },
  },
  {
    title: '(ours) an external operation is in progress',
    reason: 'waiting for an operation is neither failure nor success of ours',
    given: {
      resource: existing,
      external: { observe: { state: 'pending', operation: 'creating the database', checkAfterMs: 15_000 } },
    },
    want: {
      result: requeueInProgress(15_000),
      conditions: [`${success} creating the database`, `${creating} creating the database`],
      events: [],
      calls: ['observe'],
      writes: ['update status'],
    },
  },
  {
    title: '(ours) an operation in progress says the external name',
    reason: 'a restart must find what the external API is creating',
    given: {
      resource: existing,
      external: { observe: { state: 'pending', operation: 'x', checkAfterMs: 15_000, externalName: 'a/b' } },
    },
    want: {
      result: requeueInProgress(15_000),
      writes: ['update', 'update status'],
      check: (h) =>
        expect(h.stored()?.metadata.annotations).toEqual({ 'crossplane.io/external-name': 'a/b' }),
    },
  },
  {
    title: '(ours) an external operation is in progress, and Ready is known',
    reason: 'a change under way does not make a resource unusable',
    given: {
      external: {
        observe: (resource) => {
          setConditions(
            resource,
            { now: () => 0, monotonic: () => 0, after: () => () => undefined },
            available(),
          );
          return { state: 'pending', operation: 'resizing', checkAfterMs: 15_000 };
        },
      },
    },
    want: {
      result: requeueInProgress(15_000),
      conditions: [`${success} resizing`, 'Ready=True/Available'],
      writes: ['update', 'update status'],
    },
  },
  ...[
    { why: 'the API server does not answer', error: boom },
    { why: 'the API server has no details', error: apiError(500, 'InternalError', 'x') },
    { why: 'the API server names no field', error: apiError(422, 'Invalid', 'x', {}) },
  ].map(({ why, error }) => ({
    title: `(ours) the status cannot be stored, and ${why}`,
    reason: 'its error is the one to report',
    given: {
      resource: existing,
      external: {
        observe: (resource: Widget) => {
          resource.status = { ...resource.status, atProvider: { size: 3 } };
          return upToDate;
        },
      },
    },
    fault: (request: MemoryRequest) => {
      if (isStatusPut(request)) throw error;
    },
    want: { error: `cannot update managed resource status: ${error.message}`, writes: ['update status'] },
  })),
  {
    title: '[A4] (ours) the finalizer is written after Observe',
    reason: 'what Observe found must survive the write, or a new resource is ready a poll too late',
    given: {
      external: {
        observe: (resource) => {
          resource.status = { ...resource.status, atProvider: { size: 3 } };
          return upToDate;
        },
      },
    },
    want: {
      result: poll,
      writes: ['update', 'update status'],
      check: (h) => expect(h.stored()?.status?.atProvider).toEqual({ size: 3 }),
    },
  },
  {
    title: '(ours) Observe found something and a later step fails',
    reason: 'the observed state is shown in spite of the failure',
    given: {
      external: {
        observe: (resource) => {
          resource.status = { ...resource.status, atProvider: { size: 3 } };
          return upToDate;
        },
      },
    },
    fault: failingPuts(boom),
    want: {
      result: requeue,
      conditions: [failure('cannot update object: boom')],
      check: (h) => expect(h.stored()?.status?.atProvider).toEqual({ size: 3 }),
    },
  },
]);

function pollAnnotations() {
  const cases = [
    {
      title: '[100] the poll interval annotation asks for more',
      value: '24h',
      ms: 86_400_000,
      reason: 'a resource may be polled less often',
    },
    {
      title: '[101] the poll interval annotation asks for the lower bound',
      value: '30s',
      ms: 30_000,
      reason: 'the lower bound itself is allowed',
    },
    {
      title: '[102] the poll interval annotation asks for less',
      value: '1s',
      ms: 30_000,
      reason: 'no resource is polled faster than the operator allows',
    },
    {
      title: '[103] the poll interval annotation is no duration',
      value: 'soon',
      ms: 60_000,
      reason: 'it is as good as none',
    },
  ];
  return cases.map(({ title, value, ms, reason }) => ({
    title,
    reason,
    given: {
      resource: { metadata: { ...existing.metadata, annotations: { 'crossplane.io/poll-interval': value } } },
      external: { observe: upToDate },
      options: { minPollIntervalMs: 30_000 },
    },
    want: { result: pollAfter(ms) },
  }));
}

test('a reconcile of a settled resource writes nothing', async () => {
  const harness = createHarness({
    type: namespacedWidgets,
    resource: existing,
    external: { observe: upToDate },
  });
  for (let i = 0; i < 3; i++) {
    await harness.reconcile();
    await harness.clock.advance(60_000);
  }
  expect(harness.writes()).toEqual(['update status']);
});

test('resources of one group are polled at the same time, whenever they were reconciled', async () => {
  const harness = createHarness({
    type: namespacedWidgets,
    resource: existing,
    external: { observe: upToDate },
    kind: { pollGroupOf: () => 'host' },
  });
  const polls: number[] = [];
  for (const waitMs of [0, 7000]) {
    await harness.clock.advance(waitMs);
    const startedAt = harness.clock.monotonic();
    const result = await harness.reconcile();
    polls.push(result.type === 'requeue-after' ? (startedAt + result.delayMs) % 60_000 : Number.NaN);
  }
  expect(polls[1]).toBeCloseTo(polls[0] ?? Number.NaN);
});

test('a difference that a policy forbids to correct is reported once', async () => {
  const harness = createHarness({ type: namespacedWidgets, resource: withPolicies('Observe') });
  for (let i = 0; i < 3; i++) await harness.reconcile();
  expect(harness.recorder.lines()).toHaveLength(1);
});

test('a change of the spec that was never compared does not look as if the external resource had it', async () => {
  const resizing = { state: 'pending', operation: 'resizing', checkAfterMs: 15_000 } as const;
  const harness = createHarness({
    type: namespacedWidgets,
    resource: existing,
    external: { observe: [upToDate, resizing, resizing, upToDate] },
  });
  const seen: string[] = [];
  for (const change of [false, false, true, false]) {
    if (change) await harness.patch({ spec: { forProvider: { size: 2 } } });
    await harness.reconcile();
    const { status, reason } =
      harness.stored()?.status?.conditions?.find(({ type }) => type === 'UpToDate') ?? {};
    seen.push(`${status}/${reason}`);
  }
  expect(seen).toEqual([
    'True/ObserveMatched',
    'True/ObserveMatched',
    'Unknown/ObservePending',
    'True/ObserveMatched',
  ]);
});
