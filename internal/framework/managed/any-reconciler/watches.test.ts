/** Controllers whose watch is late, lists again or is stalled. */
import { describe, expect, test } from '@jest/globals';
import { createBackoff } from '../../base/time/backoff.ts';
import {
  managedWithOutcome,
  type RunningOptions,
  reconcilers,
  runController,
  type TestedReconciler,
} from './any-reconciler.fixture.ts';
import { createFakeSystem, type FakeSystem } from './external-system.fixture.ts';

/** Only watch events cause reconciles: neither polls nor retries come in time. */
const onlyEvents = () => {
  const hours = { baseMs: 36_000_000, maxMs: 36_000_000 };
  return { pollIntervalMs: 36_000_000, backoff: createBackoff(hours) } satisfies RunningOptions;
};
const resize = (size: number) => ({ spec: { forProvider: { size } } });

/** A controller whose external create is being answered, until `answer`. */
async function whileCreating(tested: TestedReconciler) {
  const system = createFakeSystem();
  const response = Promise.withResolvers<void>();
  system.before = (verb) => (verb === 'create' ? response.promise : undefined);
  const h = await runController(tested, system, { spec: resize(1).spec }, onlyEvents());
  expect(system.calls.at(-1)).toBe('create');
  return {
    ...h,
    system,
    answer: async () => {
      response.resolve();
      await h.clock.advance(10);
    },
  };
}

const changes = [
  {
    what: 'a deletion',
    change: (h: { delete(): Promise<void> }) => h.delete(),
    isHandled: (system: FakeSystem) => system.size === undefined,
  },
  {
    what: 'an edit',
    change: (h: { patch(patch: unknown): Promise<unknown> }) => h.patch(resize(2)),
    isHandled: (system: FakeSystem) => system.size === 2,
  },
];

describe.each([...reconcilers, managedWithOutcome])(
  '$reconciler: while an external create is being answered',
  (tested) => {
    describe.each(changes)('$what', ({ change, isHandled }) => {
      test('is handled at once, if the watch reports it together with the own write', async () => {
        const h = await whileCreating(tested);
        h.client.holdWatches();
        await change(h);
        await h.answer();
        expect(h.system.size).toBe(1);
        await h.listAgain();
        expect(isHandled(h.system)).toBe(true);
        await h.stop();
      });

      test('is handled at once, if the watch reports it alone', async () => {
        const h = await whileCreating(tested);
        await change(h);
        await h.answer();
        await h.clock.advance(10);
        expect(isHandled(h.system)).toBe(true);
        await h.stop();
      });
    });
  },
);

test.each(reconcilers)(
  '$reconciler: the own writes alone cause no reconcile, if the watch lists again',
  async (tested) => {
    const h = await whileCreating(tested);
    h.client.holdWatches();
    await h.answer();
    const before = h.system.calls.length;
    await h.listAgain();
    expect(h.system.calls.slice(before)).toEqual([]);
    await h.stop();
  },
);

describe.each(reconcilers)('$reconciler: a stalled watch', (tested) => {
  const settled = async (size: number) => {
    const system = createFakeSystem(size);
    const h = await runController(tested, system, { spec: resize(1).spec }, { pollIntervalMs: 60_000 });
    const release = h.client.holdWatches();
    return { ...h, system, release };
  };
  const minutes = (h: { clock: { advance(ms: number): Promise<void> } }, count: number) =>
    h.clock.advance(count * 60_000 + 5000);

  test('an edit that it hides is applied after the first refused replacement, by one read a reconcile', async () => {
    const h = await settled(1);
    await h.patch(resize(2));
    h.system.size = 7;
    await minutes(h, 1);
    expect(h.system.size).toBe(2);
    const reads = h.reads();
    h.release();
    await h.clock.advance(1000);
    await minutes(h, 2);
    expect(h.reads()).toBe(reads);
    expect(tested.isSettled(h.stored())).toBe(true);
    await h.stop();
  });

  test('a pause that it hides stops a replacement, and its end is noticed when the watch lists again', async () => {
    const h = await settled(1);
    const pause = (paused: 'true' | null) =>
      h.patch({ metadata: { annotations: { 'crossplane.io/paused': paused } } });
    await pause('true');
    h.system.size = 7;
    await minutes(h, 3);
    expect(h.system.calls).not.toContain('delete');
    expect(tested.isSettled(h.stored())).toBe(false);
    await pause(null);
    // The cache has had a version that is not paused all the time.
    await h.listAgain();
    expect(h.system.calls.slice(-3)).toContain('create');
    expect(tested.isSettled(h.stored())).toBe(true);
    await h.stop();
  });

  test('a create that the API server refuses takes place on the version that it has', async () => {
    const system = createFakeSystem();
    let refuse = true;
    system.before = async (verb) => {
      if (verb !== 'observe' || !refuse) return;
      refuse = false;
      h.client.holdWatches();
      await h.patch(resize(2));
    };
    const h: Awaited<ReturnType<typeof runController>> = await runController(tested, system, undefined);
    h.seed(resize(1));
    await h.clock.advance(10_000);
    expect([system.size, system.calls.filter((verb) => verb === 'create')]).toEqual([2, ['create']]);
    await h.stop();
  });
});
