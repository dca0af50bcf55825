/** Resources that move between shards: which shard may write externally when, and what users see. */
import { describe, expect, test } from '@jest/globals';
import { PostponedError } from '../../base/concurrency/fence.ts';
import { WaitingError } from '../../base/errors/errors.ts';
import {
  lostOwnershipText,
  annotationShardOwner as owner,
  annotationShardOwnerPending as ownerPending,
  ownershipDelayText,
} from '../../controller/reconcile/shard-ownership.ts';
import { pollAfter, requeueAfter } from '../../controller/reconcile-result.ts';
import { apiError } from '../../kube/fakes/memory-client.ts';
import {
  clusterWidgets,
  createHarness,
  type Harness,
  type HarnessOptions,
  type WidgetParts,
} from '../fakes/managed-harness.ts';
import { annotationCreatePending } from '../resource/meta.ts';
import {
  conditionsOf,
  creating,
  deleted,
  deleting,
  done,
  drifted,
  existing,
  notReady,
  poll,
  requeue,
  runScenarios,
  success,
  upToDate,
  withPolicies,
} from './scenario.ts';

const HOLD_MS = 70_000;
const ofShard = { options: { labelSelector: 's=a' } };
const waiting = `Synced=False/Waiting ${ownershipDelayText(HOLD_MS)}`;
const waitingEvent = `Normal Waiting: ${ownershipDelayText(HOLD_MS)}`;
const held = requeueAfter(HOLD_MS);
const annotationsOf = (harness: Harness) => harness.stored()?.metadata.annotations ?? {};
const isTakenOver = (harness: Harness) =>
  expect(annotationsOf(harness)).toMatchObject({ [owner]: 's=a', [ownerPending]: '2024-01-01T00:00:00Z' });
const isUnclaimed = (harness: Harness) => expect(annotationsOf(harness)).not.toHaveProperty([owner]);
const annotated = (annotations: Record<string, string>, more: WidgetParts = existing): WidgetParts => ({
  ...more,
  metadata: { ...more.metadata, annotations },
});

runScenarios('a shard', () => [
  {
    title: '(ours) claims a new resource with its intent to create',
    reason: 'no other process can have written externally for it; it costs no write of its own',
    given: ofShard,
    want: {
      result: requeue,
      calls: ['observe', 'create'],
      writes: ['update', 'update', 'update status'],
      check: (h) => {
        expect(annotationsOf(h)).toMatchObject({ [owner]: 's=a' });
        expect(annotationsOf(h)).not.toHaveProperty([ownerPending]);
        expect(h.client.requests.filter(({ verb }) => verb === 'get')).toEqual([]);
      },
    },
  },
  {
    title: '(ours) names itself as the owner together with the finalizer',
    reason: 'the same of an import',
    given: { ...ofShard, external: { observe: upToDate } },
    want: {
      result: poll,
      conditions: [success],
      writes: ['update', 'update status'],
      check: (h) => expect(annotationsOf(h)).toEqual({ [owner]: 's=a' }),
    },
  },
  {
    title: '(ours) acquires a resource of the process without a selector, and does not create yet',
    reason: 'that process may be about to create it',
    given: { ...ofShard, resource: existing },
    want: {
      result: held,
      conditions: [waiting, creating],
      events: [waitingEvent],
      calls: ['observe'],
      writes: ['update', 'update status'],
      check: isTakenOver,
    },
  },
  {
    title: '(ours) does not create yet a resource whose Ready is known',
    reason: 'nothing was begun that could have changed it',
    given: { ...ofShard, resource: { ...existing, status: notReady } },
    want: { result: held, conditions: [waiting, 'Ready=False/Unavailable'], calls: ['observe'] },
  },
  {
    title: '(ours) acquires a resource of another shard, and does not update yet',
    reason: 'that shard may be about to do it',
    given: { ...ofShard, resource: annotated({ [owner]: 's=b' }), external: { observe: drifted } },
    want: { result: held, conditions: [waiting], calls: ['observe'], check: isTakenOver },
  },
  {
    title: '(ours) acquires ownership, and does not replace yet',
    reason: 'that takes two changes',
    given: {
      ...ofShard,
      resource: existing,
      external: { observe: { ...drifted, replace: 'drift', externalName: 'x' } },
    },
    want: { result: held, conditions: [waiting], calls: ['observe'], check: isTakenOver },
  },
  {
    title: '(ours) acquires a resource that is being deleted, and does not delete yet',
    reason: 'the former writer may be about to create',
    given: { ...ofShard, resource: { ...deleted, status: notReady }, external: { observe: upToDate } },
    want: { result: held, conditions: [waiting, deleting], calls: ['observe'], check: isTakenOver },
  },
  {
    title: '(ours) keeps the finalizer of a resource that it has just acquired',
    reason: 'the previous owner may still create it',
    given: { ...ofShard, resource: deleted, external: { observe: { state: 'absent' } } },
    want: { result: held, conditions: [waiting, deleting], calls: ['observe'], check: isTakenOver },
  },
  {
    title: '(ours) acquires a resource that is up to date, and states nothing of it',
    reason: 'there is nothing that would have to be put off',
    given: {
      resource: existing,
      external: { observe: upToDate },
      options: { labelSelector: 's=a', pollIntervalMs: 600_000 },
    },
    want: { result: pollAfter(HOLD_MS), conditions: [success], events: [], check: isTakenOver },
  },
  {
    title: '(ours) leaves a paused resource to who had it',
    reason: 'paused is paused',
    given: { ...ofShard, resource: withPolicies() },
    want: { result: done, writes: ['update status'], check: isUnclaimed },
  },
  {
    title: '(ours) leaves a resource that it only observes to who had it',
    reason: 'it changes nothing in any case',
    given: { ...ofShard, resource: withPolicies('Observe'), external: { observe: upToDate } },
    want: { result: poll, conditions: [success], writes: ['update status'], check: isUnclaimed },
  },
  {
    title: '(ours) orphans a deleted resource at once, whichever shard owned it',
    reason: 'that is no external write',
    given: {
      ...ofShard,
      resource: { ...deleted, spec: { managementPolicies: ['Observe', 'Create'] } },
    },
    want: { result: done, calls: [], writes: ['update'] },
  },
  {
    title: '(ours) waits for what the former writer may still record of its create',
    reason: 'a user who believed the old message would have it created twice',
    given: { ...ofShard, resource: annotated({ [annotationCreatePending]: '2024-01-01T00:00:00Z' }) },
    want: { result: held, conditions: [waiting, creating], events: [waitingEvent], calls: [] },
  },
  {
    title: '(ours) retries an acquisition that met a conflict',
    reason: 'a newer version decides',
    given: { ...ofShard, resource: existing },
    fault: ({ verb, subresource }) => {
      if (verb === 'update' && subresource === undefined) throw apiError(409, 'Conflict');
    },
    want: { result: requeue, events: [], calls: [] },
  },
]);

runScenarios('one process for all', () => [
  {
    title: '(ours) owns what names no owner',
    reason: 'without shards nothing changes',
    given: { resource: existing, external: { observe: drifted } },
    want: { result: poll, calls: ['observe', 'update'], writes: ['update status'], check: isUnclaimed },
  },
  {
    title: '(ours) takes back what a shard had',
    reason: 'that shard may still be at work',
    given: { resource: annotated({ [owner]: 's=b' }), external: { observe: drifted } },
    want: {
      result: held,
      conditions: [waiting],
      calls: ['observe'],
      check: (h) => expect(annotationsOf(h)).toEqual({ [ownerPending]: '2024-01-01T00:00:00Z' }),
    },
  },
]);

const shardHarness = (options: Omit<HarnessOptions, 'type'>) =>
  createHarness({ type: clusterWidgets, ...ofShard, ...options });

/** Another process of the same shard, on the same API server and clock. */
const successorOf = (harness: Harness, options: Omit<HarnessOptions, 'type'> = {}) => {
  const seeded = harness.stored();
  const successor = shardHarness({
    ...options,
    options: {
      labelSelector: 's=a',
      client: harness.client,
      clock: harness.clock,
      read: () => harness.stored(),
      recorder: harness.recorder,
    },
  });
  expect(seeded).toBeDefined();
  return successor;
};

describe('a change of the owner', () => {
  test('ends with its time: it is put on record, and what was put off is done', async () => {
    const h = shardHarness({ resource: existing, external: { observe: drifted } });
    await h.reconcile();
    await h.clock.advance(HOLD_MS - 1000);
    expect(await h.reconcile()).toMatchObject({ type: 'requeue-after' });
    expect(h.external.calls.filter((verb) => verb === 'update')).toEqual([]);
    await h.clock.advance(1000);
    expect(await h.reconcile()).toEqual(poll);
    expect(h.external.calls.filter((verb) => verb === 'update')).toEqual(['update']);
    expect(annotationsOf(h)).toEqual({ [owner]: 's=a' });
    expect(conditionsOf(h)).toEqual([success]);
    expect(h.recorder.lines().filter((line) => line.includes('Waiting'))).toEqual([waitingEvent]);
  });

  test('is shown at once to a resource that waits for something else', async () => {
    const errors = [new WaitingError('Secret shop/admin not found')];
    const connect = () => {
      const error = errors.shift();
      if (error !== undefined) throw error;
    };
    const h = shardHarness({ resource: existing, external: { connect } });
    await h.reconcile();
    expect(await h.reconcile()).toMatchObject({ type: 'requeue-after' });
    expect(conditionsOf(h)).toEqual([waiting, creating]);
  });

  test('is not lost with the process: another one of the shard waits as long from its first sight', async () => {
    const first = shardHarness({ resource: existing, external: { observe: drifted } });
    await first.reconcile();
    await first.clock.advance(HOLD_MS - 1000);
    const second = successorOf(first, { external: { observe: drifted } });
    expect(await second.reconcile()).toEqual(held);
    await first.clock.advance(HOLD_MS);
    await second.reconcile();
    expect(second.external.calls.filter((verb) => verb === 'update')).toEqual(['update']);
  });

  test('is over for good once it is on record: a restart waits for nothing', async () => {
    const first = shardHarness({ resource: annotated({ [owner]: 's=a' }), external: { observe: upToDate } });
    await first.reconcile();
    const second = successorOf(first, { external: { observe: drifted } });
    expect(await second.reconcile()).toEqual(poll);
    expect(second.external.calls).toContain('update');
  });
});

describe('a resource that two select', () => {
  test('is left to who took it, with one warning, and taken back later', async () => {
    const h = shardHarness({ resource: annotated({ [owner]: 's=a' }), external: { observe: upToDate } });
    await h.reconcile();
    await h.patch({ metadata: { annotations: { [owner]: 's in (a, b)', [ownerPending]: 't' } } });
    for (const _ of [1, 2]) expect(await h.reconcile()).toEqual(poll);
    const text = lostOwnershipText('s in (a, b)');
    expect(conditionsOf(h)).toEqual([`Synced=False/Conflict ${text}`]);
    expect(h.recorder.lines()).toEqual([`Warning Conflict: ${text}`]);
    expect(annotationsOf(h)).toMatchObject({ [owner]: 's in (a, b)' });
    await h.clock.advance(2 * HOLD_MS);
    await h.reconcile();
    expect(annotationsOf(h)).toMatchObject({ [owner]: 's=a' });
    expect(conditionsOf(h)).toEqual([success]);
  });
});

describe('right before a change', () => {
  const own = annotated({ [owner]: 's=a' });
  const moved = { metadata: { labels: { s: 'b' } } };
  const taken = { metadata: { annotations: { [owner]: 's=b', [ownerPending]: 't' } } };
  const replaced = { ...drifted, replace: 'drift', externalName: 'x' } as const;

  test.each([
    { what: 'an update', resource: own, observation: drifted, change: moved, how: 'its labels changed' },
    { what: 'an update', resource: own, observation: drifted, change: taken, how: 'another shard took it' },
    {
      what: 'a replacement',
      resource: own,
      observation: replaced,
      change: taken,
      how: 'another shard took it',
    },
    {
      what: 'a deletion',
      resource: annotated({ [owner]: 's=a' }, deleted),
      observation: upToDate,
      change: taken,
      how: 'another shard took it',
    },
    {
      what: 'a creation',
      resource: own,
      observation: { state: 'absent' } as const,
      change: moved,
      how: 'its labels changed',
    },
  ])('$what is not begun if $how, and no event is recorded', async ({ resource, observation, change }) => {
    const h: Harness = shardHarness({
      resource,
      external: {
        observe: async () => {
          await h.patch(change);
          return observation;
        },
      },
    });
    expect(await h.reconcile()).toEqual(requeue);
    expect(h.external.calls.filter((verb) => !/connect|observe/.test(verb))).toEqual([]);
    expect(h.recorder.lines()).toEqual([]);
    expect(conditionsOf(h)).toEqual([]);
  });

  test('a process that was suspended writes nothing externally, and records no Warning', async () => {
    const h: Harness = shardHarness({
      resource: own,
      external: {
        observe: drifted,
        update: (_, ctx) => {
          ctx.assertMayWrite();
          throw new PostponedError('conflict', 'it stood still');
        },
      },
    });
    expect(await h.reconcile()).toEqual(requeue);
    expect(h.recorder.lines()).toEqual([]);
    expect(conditionsOf(h)).toEqual([]);
  });

  const replaceable = { ...drifted, replace: 'drift', externalName: 'x' } as const;
  const absent = { state: 'absent', externalName: 'x' } as const;
  test.each([
    { what: 'a settled resource', resource: existing, observe: upToDate, alone: 0, inShard: 0 },
    { what: 'a create', resource: existing, observe: absent, alone: 0, inShard: 0 },
    { what: 'an update', resource: existing, observe: drifted, alone: 0, inShard: 1 },
    { what: 'a replacement', resource: existing, observe: replaceable, alone: 1, inShard: 1 },
    { what: 'a deletion', resource: deleted, observe: upToDate, alone: 1, inShard: 1 },
  ])(
    '$what costs $alone reads of the object in a single process, and $inShard in a shard',
    async ({ resource, observe, alone, inShard }) => {
      const reads = async (labelSelector: string) => {
        const h = createHarness({
          type: clusterWidgets,
          resource: labelSelector === '' ? resource : annotated({ [owner]: labelSelector }, resource),
          external: { observe },
          options: { labelSelector },
        });
        await h.reconcile();
        const written = h.external.calls.filter((verb) => !/connect|observe/.test(verb));
        expect(written.length > 0).toBe(observe !== upToDate || resource === deleted);
        return h.client.requests.filter(({ verb }) => verb === 'get').length;
      };
      expect([await reads(''), await reads('s=a')]).toEqual([alone, inShard]);
    },
  );
});
