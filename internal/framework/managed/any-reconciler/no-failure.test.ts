/** What is no failure: no error is logged or counted, and the object is reconciled again when that can help. */
import { describe, expect, test } from '@jest/globals';
import { NotLeaderError } from '../../base/concurrency/fence.ts';
import {
  annotationShardOwner,
  annotationShardOwnerPending,
} from '../../controller/reconcile/shard-ownership.ts';
import { apiError } from '../../kube/fakes/memory-client.ts';
import type { WidgetParts } from '../../kube/fakes/widget.ts';
import {
  type RunningOptions,
  reconcilers,
  runController,
  type TestedReconciler,
} from './any-reconciler.fixture.ts';
import { createFakeSystem, type FakeSystem } from './external-system.fixture.ts';

/** The ownership delay for external calls of a minute. */
const DELAY_MS = 70_000;
const resize = (size: number) => ({ spec: { forProvider: { size } } });

async function start(
  tested: TestedReconciler,
  { size, object, ...options }: RunningOptions & { readonly size?: number; readonly object?: WidgetParts },
) {
  const system = createFakeSystem(size);
  const h = await runController(tested, system, undefined, options);
  const count = (verb: FakeSystem['calls'][number]) => system.calls.filter((call) => call === verb).length;
  return {
    ...h,
    system,
    count,
    create: async () => {
      h.seed({ ...object, spec: { ...resize(1).spec, ...object?.spec } });
      await h.clock.advance(10);
    },
    expectNoFailure: () => expect([h.errors, h.failures(), warnings(h)]).toEqual([[], 0, []]),
  };
}

const warnings = (h: { events(): string[] }) => h.events().filter((line) => line.startsWith('Warning'));

describe.each(reconcilers)('$reconciler: no failure is', (tested) => {
  test('a conflict: the object is reconciled again with the backoff', async () => {
    const h = await start(tested, {});
    const stop = h.client.onRequest(({ verb, subresource }) => {
      if (verb !== 'update' || subresource !== undefined) return;
      stop();
      throw apiError(409, 'Conflict');
    });
    await h.create();
    expect(h.count('create')).toBe(0);
    await h.clock.advance(1000);
    expect(h.system.size).toBe(1);
    h.expectNoFailure();
    await h.stop();
  });

  test('lost leadership: nothing is written, and the object is reconciled again with the backoff', async () => {
    let leads = false;
    const fence = () => {
      if (!leads) throw new NotLeaderError('another replica leads');
    };
    const h = await start(tested, { fence });
    await h.create();
    expect([h.count('observe'), h.count('create')]).toEqual([1, 0]);
    await h.clock.advance(1000);
    expect([h.count('observe'), h.count('create')]).toEqual([2, 0]);
    leads = true;
    await h.clock.advance(2000);
    expect(h.system.size).toBe(1);
    h.expectNoFailure();
    await h.stop();
  });

  test('an object that was changed before its replacement: the newest version is reconciled', async () => {
    const h = await start(tested, { size: 7 });
    h.system.before = async (verb) => {
      if (verb === 'observe' && h.count('observe') === 1) await h.patch(resize(7));
    };
    await h.create();
    await h.clock.advance(2000);
    expect([h.system.size, h.count('delete')]).toEqual([7, 0]);
    expect(tested.isSettled(h.stored())).toBe(true);
    h.expectNoFailure();
    await h.stop();
  });

  test('an object that is gone before its status is stored', async () => {
    const h = await start(tested, { size: 1 });
    const stop = h.client.onRequest(async ({ verb, subresource }) => {
      if (verb !== 'update' || subresource !== 'status') return;
      stop();
      await h.patch({ metadata: { finalizers: null } });
      await h.delete();
    });
    await h.create();
    expect(h.stored()).toBeUndefined();
    await h.clock.advance(2000);
    expect(h.count('observe')).toBe(1);
    expect(h.keys.kept().size).toBe(0);
    h.expectNoFailure();
    await h.stop();
  });

  describe('the ownership delay', () => {
    const object = {
      metadata: { labels: { s: 'a' }, annotations: { [annotationShardOwner]: 's=b' } },
    };
    const shard = { labelSelector: 's=a', pollIntervalMs: 36_000_000, object };

    test('external writes wait for its end, and no longer', async () => {
      const h = await start(tested, { ...shard, size: 7 });
      await h.create();
      await h.clock.advance(DELAY_MS - 1000);
      expect([h.count('delete'), h.system.size]).toEqual([0, 7]);
      await h.clock.advance(1000);
      expect(h.system.size).toBe(1);
      h.expectNoFailure();
      await h.stop();
    });

    test('a finalizer waits for its end, as the previous owner may still create', async () => {
      const { labels, annotations } = object.metadata;
      const deleted = { finalizers: [tested.finalizer], deletionTimestamp: '2024-01-01T00:00:00Z' };
      const h = await start(tested, { ...shard, object: { metadata: { labels, annotations, ...deleted } } });
      await h.create();
      await h.clock.advance(DELAY_MS - 1000);
      h.system.size = 7;
      await h.clock.advance(5000);
      expect([h.stored(), h.system.size]).toEqual([undefined, undefined]);
      h.expectNoFailure();
      await h.stop();
    });

    test('its end is recorded, however rarely the object is polled', async () => {
      const h = await start(tested, { ...shard, size: 1 });
      await h.create();
      expect(tested.isSettled(h.stored())).toBe(true);
      expect(h.stored()?.metadata.annotations).toHaveProperty([annotationShardOwnerPending]);
      await h.clock.advance(DELAY_MS);
      expect(h.stored()?.metadata.annotations).toMatchObject({ [annotationShardOwner]: 's=a' });
      expect(h.stored()?.metadata.annotations).not.toHaveProperty([annotationShardOwnerPending]);
      h.expectNoFailure();
      await h.stop();
    });
  });
});
