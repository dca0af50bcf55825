import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createConcurrencyLimiter } from '../../base/concurrency/concurrency-limiter.ts';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createQueueMetrics, createWorkQueue, type RequestInProgress } from './work-queue.ts';

const key = fc.constantFrom('a', 'b', 'c', 'd');
const priority = fc.constantFrom(-100, 0, 5);
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key, priority }),
  fc.record({
    do: fc.constant('addAfter' as const),
    key,
    priority,
    delay: fc.integer({ min: 1, max: 3000 }),
  }),
  fc.record({ do: fc.constant('addRateLimited' as const), key, priority }),
  fc.record({ do: fc.constant('forget' as const), key }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('done' as const), key }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 2000 }) }),
);

function setup() {
  const clock = createFakeClock();
  const metrics = createFakeMetrics();
  const queue = createWorkQueue({
    clock,
    backoff: createBackoff(),
    limiter: createConcurrencyLimiter({ clock }),
    metrics: createQueueMetrics(metrics, clock, 'c'),
  });
  const held = new Set<string>();
  /** When each key that was added must be available at the latest. */
  const promised = new Map<string, number>();
  const take = async () => {
    if (queue.depth() === 0) return undefined;
    const taken = await queue.take();
    if (taken === undefined) return undefined;
    expect(held.has(taken.key)).toBe(false);
    expect(promised.has(taken.key)).toBe(true);
    held.add(taken.key);
    promised.delete(taken.key);
    return taken;
  };
  const done = (k: string) => {
    held.delete(k);
    queue.done(k);
  };
  const promise = (k: string, delay: number) =>
    promised.set(k, Math.min(promised.get(k) ?? Number.POSITIVE_INFINITY, clock.monotonic() + delay));
  return { clock, metrics, queue, held, promised, take, done, promise };
}

test('property: no request is in progress twice, none is invented, none is lost, however adds, takes and time interleave', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { clock, queue, held, promised, take, done, promise } = setup();
      for (const s of steps) {
        switch (s.do) {
          case 'add':
            promise(s.key, 0);
            queue.add(s.key, { priority: s.priority });
            break;
          case 'addAfter':
            promise(s.key, s.delay);
            queue.addAfter(s.key, s.delay, { priority: s.priority });
            break;
          case 'addRateLimited':
            promise(s.key, 60_000);
            queue.addRateLimited(s.key, { priority: s.priority });
            break;
          case 'forget':
            queue.forget(s.key);
            break;
          case 'take':
            await take();
            break;
          case 'done':
            done(s.key);
            break;
          case 'advance':
            await clock.advance(s.ms);
            break;
          default:
            s satisfies never;
        }
        const due = [...promised].filter(([k, at]) => at <= clock.monotonic() && !held.has(k));
        expect(queue.depth()).toBeGreaterThanOrEqual(due.length);
      }
      for (const k of [...held]) done(k);
      await clock.advance(60_000);
      while ((await take()) !== undefined);
      expect([...promised.keys()]).toEqual([]);
      expect(clock.pending()).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('property: due requests leave by priority, then by the order of becoming due', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat({ max: 1000 }), { maxLength: 30 }),
      priorities(),
      async (ids, ranks) => {
        const { queue } = setup();
        const added = ids.map((id, turn) => ({
          key: `k${id}`,
          priority: ranks[turn % ranks.length] ?? 0,
          turn,
        }));
        for (const item of added) queue.add(item.key, { priority: item.priority });
        const taken: (RequestInProgress | undefined)[] = [];
        for (let i = 0; i < ids.length; i++) taken.push(await queue.take());
        const expected = [...added].sort((a, b) => b.priority - a.priority || a.turn - b.turn);
        expect(taken.map((t) => t?.key)).toEqual(expected.map((item) => item.key));
      },
    ),
    { numRuns: 60 },
  );
});

function priorities() {
  return fc.array(priority, { minLength: 1, maxLength: 5 });
}

test('property: depth never goes negative and ends at zero for every priority', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ key, priority })), async (adds) => {
      const { queue, metrics } = setup();
      for (const add of adds) queue.add(add.key, { priority: add.priority });
      const total = () =>
        [-100, 0, 5].map((p) =>
          metrics.value('workqueue_depth', { name: 'c', controller: 'c', priority: String(p) }),
        );
      expect(total().reduce((a, b) => a + b)).toBe(new Set(adds.map((a) => a.key)).size);
      while (queue.depth() > 0) await queue.take();
      expect(total()).toEqual([0, 0, 0]);
    }),
    { numRuns: 60 },
  );
});
