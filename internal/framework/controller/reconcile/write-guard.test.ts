import { describe, expect, test } from '@jest/globals';
import { type Fence, NotLeaderError, PostponedError } from '../../base/concurrency/fence.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { formatTimestamp } from '../../base/time/formats.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { clusterWidgets as type, type Widget, type WidgetParts, widget } from '../../kube/fakes/widget.ts';
import { keyOf } from '../../kube/object/object.ts';
import { createKeyStore } from '../key-store.ts';
import { done, pollAfter, requeue, requeueAfter } from '../reconcile-result.ts';
import { managedFinalizer } from './finalizer.ts';
import { annotationShardOwner, annotationShardOwnerPending, createShardGuards } from './shard-ownership.ts';
import { createWorkingCopy } from './working-copy.ts';
import { createWriteGuard } from './write-guard.ts';

const DELAY_MS = 70_000;
const TIMEOUT_MS = 60_000;
const { signal } = new AbortController();

interface Given {
  readonly shard?: string;
  readonly resource?: WidgetParts;
  readonly fence?: Fence;
}

/** Guards of one process of a shard over one resource. */
function setup({ shard = '', resource = {}, ...options }: Given = {}) {
  const time = createFakeClock();
  /** Time that a clock of the process did not count, or counted alone. */
  const skew = { monotonic: 0, wall: 0 };
  const clock = {
    ...time,
    monotonic: () => time.monotonic() + skew.monotonic,
    now: () => time.now() + skew.wall,
  };
  const client = createMemoryClient({ clock });
  const key = keyOf(client.seed(type, widget(type, resource)));
  const keys = createKeyStore();
  const shards = createShardGuards({
    clock,
    shard,
    timeoutMs: TIMEOUT_MS,
    finalizer: managedFinalizer,
    keys,
  });
  const stored = () => client.peek(type, key) ?? widget(type);
  /** That of the next reconcile. */
  const guard = () => {
    const copy = createWorkingCopy<Widget>({ client, type, object: stored() });
    return {
      copy,
      ...shards.guardOf(
        { key: 'w', copy, signal },
        createWriteGuard({
          copy,
          client,
          newest: () => client.peek(type, key),
          clock,
          signal,
          timeoutMs: TIMEOUT_MS,
          finalizer: managedFinalizer,
          ...options,
        }),
      ),
    };
  };
  const requests = () => client.requests.map(({ verb }) => verb);
  const patch = (patch: unknown) => client.mergePatch(type, key, patch);
  return { time, skew, client, guard, stored, requests, patch };
}

const held = { finalizers: [managedFinalizer] };
const ownedBy = (shard: string): WidgetParts => ({
  metadata: { ...held, annotations: { [annotationShardOwner]: shard } },
});

describe('a write guard', () => {
  test('of a single process allows a write without a request', async () => {
    const h = setup();
    const guard = h.guard();
    await guard.acquireOwnership();
    await guard.beforeWrite();
    guard.assertMayWrite();
    expect(h.requests()).toEqual([]);
  });

  test('allows nothing without an ownership check, and nothing after a failed one', async () => {
    const h = setup();
    const guard = h.guard();
    await expect(guard.beforeWrite()).rejects.toMatchObject({ kind: 'bug' });
    await guard.acquireOwnership();
    expect(guard.assertMayWrite).toThrow('an external write needs an ownership check before it');
    const record = () => Promise.reject(new Error('409'));
    await expect(guard.beforeWrite({ record })).rejects.toThrow('409');
    expect(guard.assertMayWrite).toThrow('an external write needs an ownership check before it');
  });

  test('asks for leadership before a check and before each request', async () => {
    let leads = false;
    const fence = () => {
      if (!leads) throw new NotLeaderError('this replica does not lead');
    };
    const h = setup({ fence });
    const guard = h.guard();
    await guard.acquireOwnership();
    let recorded = false;
    const record = async () => {
      recorded = true;
    };
    await expect(guard.beforeWrite({ record })).rejects.toThrow(NotLeaderError);
    expect(recorded).toBe(false);
    leads = true;
    await guard.beforeWrite({ record });
    guard.assertMayWrite();
    leads = false;
    expect(guard.assertMayWrite).toThrow(NotLeaderError);
  });

  test.each(['monotonic', 'wall'] as const)(
    'allows nothing after the process stood still since its check, by its %s clock',
    async (which) => {
      const h = setup();
      const guard = h.guard();
      await guard.acquireOwnership();
      await guard.beforeWrite();
      h.skew[which] += TIMEOUT_MS - 1;
      guard.assertMayWrite();
      h.skew[which] += 1;
      expect(guard.assertMayWrite).toThrow(PostponedError);
      await guard.beforeWrite();
      guard.assertMayWrite();
    },
  );

  test('counts a check from its beginning, since what it shows may be as old', async () => {
    const h = setup();
    const guard = h.guard();
    await guard.acquireOwnership();
    await guard.beforeWrite({ record: () => h.time.advance(TIMEOUT_MS) });
    expect(guard.assertMayWrite).toThrow(PostponedError);
  });

  test.each([
    { what: 'a destructive write of a single process', shard: '', resource: {}, destructive: true },
    { what: 'a write of a shard', shard: 's=a', resource: ownedBy('s=a'), destructive: false },
  ])('reads the object before $what, and postpones it if the object was changed', async (given) => {
    const { shard, resource, destructive } = given;
    const h = setup({ shard, resource });
    const guard = h.guard();
    await guard.acquireOwnership();
    await guard.beforeWrite({ destructive });
    expect(h.requests()).toEqual(['get']);
    await h.patch({ metadata: { annotations: { 'crossplane.io/paused': 'true' } } });
    await expect(guard.beforeWrite({ destructive })).rejects.toMatchObject({
      name: 'PostponedError',
      kind: 'conflict',
    });
  });
});

describe('a deletion of what belongs to a deleted object', () => {
  const deletedAt = (secondsAgo: number): WidgetParts => ({
    metadata: {
      ...held,
      deletionTimestamp: formatTimestamp(createFakeClock().now() - secondsAgo * 1000),
    },
  });
  const beforeDeletion = async (h: ReturnType<typeof setup>, act = async () => undefined as unknown) => {
    const guard = h.guard();
    await guard.acquireOwnership();
    await act();
    const before = h.requests().length;
    const result = await guard.beforeWrite({ destructive: 'deletion' }).then(
      () => 'allowed',
      (error: unknown) => (error instanceof PostponedError ? 'postponed' : 'failed'),
    );
    return [result, h.requests().slice(before)];
  };
  const paused = { metadata: { annotations: { 'crossplane.io/paused': 'true' } } };

  test('needs no read in the first seconds after its deletion', async () => {
    expect(await beforeDeletion(setup({ resource: deletedAt(14) }))).toEqual(['allowed', []]);
  });

  test.each([
    { what: 'older', resource: deletedAt(15) },
    { what: 'in the future', resource: deletedAt(-2) },
    { what: 'not there', resource: { metadata: held } },
  ])('reads the object if its deletion is $what', async ({ resource }) => {
    expect(await beforeDeletion(setup({ resource }))).toEqual(['allowed', ['get']]);
  });

  test('reads the object by the clock of the API server, whatever the own one says', async () => {
    const h = setup({ resource: deletedAt(0) });
    h.skew.wall = 3_600_000;
    expect(await beforeDeletion(h)).toEqual(['allowed', []]);
  });

  test('is postponed if the object has changed by what is known now', async () => {
    const h = setup({ resource: deletedAt(0) });
    expect(await beforeDeletion(h, () => h.patch(paused))).toEqual(['postponed', ['get']]);
  });

  test('reads the object in a shard', async () => {
    const resource = { metadata: { ...ownedBy('s=a').metadata, ...deletedAt(0).metadata } };
    expect(await beforeDeletion(setup({ shard: 's=a', resource }))).toEqual(['allowed', ['get']]);
  });
});

describe('shard ownership', () => {
  test('of an object for which nothing was written is claimed with the finalizer', async () => {
    const h = setup({ shard: 's=a' });
    const guard = h.guard();
    await guard.acquireOwnership();
    expect(h.requests()).toEqual([]);
    await guard.beforeWrite({
      record: async () => {
        guard.stageClaim();
        await guard.copy.put(signal);
      },
    });
    guard.assertMayWrite();
    expect(h.stored().metadata).toMatchObject({
      finalizers: [managedFinalizer],
      annotations: { [annotationShardOwner]: 's=a' },
    });
  });

  test('of another shard is acquired by one write, and allows nothing during the ownership delay', async () => {
    const h = setup({ shard: 's=a', resource: ownedBy('s=b') });
    const guard = h.guard();
    await guard.acquireOwnership();
    expect(h.requests()).toEqual(['update']);
    expect(h.stored().metadata.annotations).toEqual({
      [annotationShardOwner]: 's=a',
      [annotationShardOwnerPending]: '2024-01-01T00:00:00Z',
    });
    const refusal = { kind: 'waiting', delayMs: DELAY_MS, message: expect.stringContaining('70 s') };
    await expect(guard.beforeWrite()).rejects.toMatchObject(refusal);
    expect(guard.assertOwner).toThrow(PostponedError);
    expect(guard.assertMayWrite).toThrow();
  });

  test('is complete after the delay, with one more write', async () => {
    const h = setup({ shard: 's=a', resource: ownedBy('s=b') });
    await h.guard().acquireOwnership();
    await h.time.advance(DELAY_MS);
    const guard = h.guard();
    await guard.acquireOwnership();
    expect(h.stored().metadata.annotations).toEqual({ [annotationShardOwner]: 's=a' });
    guard.assertOwner();
    await guard.beforeWrite();
    guard.assertMayWrite();
  });

  test('is not acquired for an object that is only observed, which allows no write', async () => {
    const h = setup({ shard: 's=a', resource: ownedBy('s=b') });
    const guard = h.guard();
    await guard.acquireOwnership({ onlyObserved: true });
    expect(h.requests()).toEqual([]);
    await expect(guard.beforeWrite()).rejects.toMatchObject({ kind: 'bug' });
  });

  test('that another shard acquired, though this one selects the object as well, is left to that shard', async () => {
    const h = setup({ shard: 's=a', resource: ownedBy('s=a') });
    await h.guard().acquireOwnership();
    await h.patch({ metadata: { annotations: { [annotationShardOwner]: 's=b' } } });
    await expect(h.guard().acquireOwnership()).rejects.toMatchObject({
      kind: 'contested',
      message: expect.stringContaining('the shard "s=b"'),
    });
    expect(h.requests()).toEqual(['patch']);
  });

  test('has the object reconciled at the end of the delay at the latest', async () => {
    const h = setup({ shard: 's=a', resource: ownedBy('s=b') });
    const guard = h.guard();
    await guard.acquireOwnership();
    expect(
      [pollAfter(600_000), pollAfter(1000), requeueAfter(600_000), requeue, done].map(guard.notAfterDelay),
    ).toEqual([pollAfter(DELAY_MS), pollAfter(1000), requeueAfter(DELAY_MS), requeue, done]);
    await h.time.advance(DELAY_MS);
    const next = h.guard();
    await next.acquireOwnership();
    expect(next.notAfterDelay(pollAfter(600_000))).toEqual(pollAfter(600_000));
  });
});

describe('a create', () => {
  test('counts as sent from the first request that is allowed after its intent is recorded', async () => {
    const guard = setup().guard();
    await guard.acquireOwnership();
    await guard.beforeWrite();
    guard.assertMayWrite();
    expect(guard.createSent()).toBe(false);
    await guard.beforeWrite({ record: async () => undefined });
    expect(guard.createSent()).toBe(false);
    guard.assertMayWrite();
    await guard.beforeWrite({ destructive: true });
    expect(guard.createSent()).toBe(true);
  });
});
