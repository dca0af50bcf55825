import { describe, expect, test } from '@jest/globals';
import { createConcurrencyLimiter } from '../base/concurrency/concurrency-limiter.ts';
import { createTokenBucket } from '../base/concurrency/token-bucket.ts';
import { createFakeMetrics } from '../base/telemetry/fake-metrics.ts';
import { nopLogger } from '../base/telemetry/telemetry.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { endless, label, setup } from './controller.fixture.ts';
import { createController } from './controller.ts';
import { LOW_PRIORITY } from './queue/work-queue.ts';
import { done, pollAfter, requeue, requeueAfter } from './reconcile-result.ts';

describe('the rate of polls and resyncs', () => {
  const paced = { priority: LOW_PRIORITY, paced: true };
  const pacedSetup = (burst: number) => {
    const clock = createFakeClock();
    const pollRate = createTokenBucket({ clock, ratePerSecond: 1, burst });
    const ran: [string, number][] = [];
    const metrics = createFakeMetrics();
    const controller = createController({
      name: 'c',
      sources: [],
      reconcile: async (key) => {
        ran.push([key, clock.monotonic()]);
        return done;
      },
      clock,
      log: nopLogger,
      metrics,
      pollRate,
    });
    controller.work();
    return { clock, controller, ran, metrics };
  };

  test('[171] with a token it passes at once', async () => {
    const { clock, controller, ran } = pacedSetup(1);
    controller.enqueue('a', paced);
    await clock.advance(0);
    expect(ran).toEqual([['a', 0]]);
  });

  test('[172] without one it comes later and is not reconciled before', async () => {
    const { clock, controller, ran, metrics } = pacedSetup(1);
    controller.enqueue('a', paced);
    controller.enqueue('b', paced);
    await clock.advance(999);
    expect(ran).toEqual([['a', 0]]);
    expect(metrics.observations('controller_runtime_reconcile_time_seconds', label)).toHaveLength(1);
  });

  test('[173] when it comes back it passes without a second token', async () => {
    const { clock, controller, ran } = pacedSetup(1);
    for (const key of ['a', 'b', 'c']) controller.enqueue(key, paced);
    await clock.advance(2000);
    expect(ran).toEqual([
      ['a', 0],
      ['b', 1000],
      ['c', 2000],
    ]);
  });

  test('changes need no token', async () => {
    const { clock, controller, ran } = pacedSetup(0);
    controller.enqueue('a', paced);
    controller.enqueue('a');
    controller.enqueue('b');
    await clock.advance(0);
    expect(ran.map(([key]) => key).sort()).toEqual(['a', 'b']);
  });

  test('waiting for a token does not reset the backoff', async () => {
    const clock = createFakeClock();
    const times: number[] = [];
    const outcomes = [new Error('x'), pollAfter(0), new Error('x'), done];
    const controller = createController({
      name: 'c',
      sources: [],
      reconcile: async () => {
        times.push(clock.monotonic());
        const outcome = outcomes.shift() ?? done;
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      clock,
      log: nopLogger,
      metrics: createFakeMetrics(),
      pollRate: createTokenBucket({ clock, ratePerSecond: 1, burst: 0 }),
    });
    controller.work();
    controller.enqueue('a', paced);
    await clock.advance(20_000);
    // Token at 1 s, failure, retry (low priority is kept, but a retry is not paced) at 2 s, poll at its token, retry.
    expect(times.slice(0, 2)).toEqual([1000, 2000]);
    expect(times).toHaveLength(4);
    await controller.stop();
  });
});

describe('requests that share a limit key', () => {
  /** A key is `limit key-number`. */
  const hanging = (workers: number) => {
    const { ends, ...h } = endless({ workers, limitKeysOf: (key) => [{ name: key.split('-')[0] ?? '' }] });
    return { ...h, end: (key: string) => ends.get(key)?.() };
  };

  test('take a quarter of the workers, and the others have the rest', async () => {
    const { controller, clock, metrics, running } = hanging(8);
    for (let i = 0; i < 50; i++) controller.enqueue(`hole-${i}`);
    for (const key of ['a-0', 'b-0', 'c-0']) controller.enqueue(key);
    await clock.advance(0);
    expect(running()).toEqual(['hole-0', 'hole-1', 'a-0', 'b-0', 'c-0']);
    expect(metrics.value('controller_requests_waiting_for_slot', label)).toBe(48);
  });

  test('start one after the other, each once', async () => {
    const { controller, clock, metrics, running, end, results } = hanging(4);
    for (let i = 0; i < 3; i++) controller.enqueue(`hole-${i}`);
    for (const expected of ['hole-0', 'hole-1', 'hole-2']) {
      await clock.advance(0);
      expect(running()).toEqual([expected]);
      end(expected);
    }
    await clock.advance(0);
    expect([running(), results('success')]).toEqual([[], 3]);
    expect(metrics.value('controller_requests_waiting_for_slot', label)).toBe(0);
  });

  test('start with a single worker as well', async () => {
    const { controller, clock, running } = hanging(1);
    controller.enqueue('hole-0');
    await clock.advance(0);
    expect(running()).toEqual(['hole-0']);
  });

  test('do not hold up a stop, whether they are in progress or wait', async () => {
    const { controller, clock, end } = hanging(4);
    for (let i = 0; i < 3; i++) controller.enqueue(`hole-${i}`);
    await clock.advance(0);
    const stopped = controller.stop();
    end('hole-0');
    await stopped;
    expect(clock.pending()).toBe(0);
  });
});

describe('a reconcile that learns on its way what it depends on', () => {
  function learning() {
    const inProgress = new Map<string, () => void>();
    const started: string[] = [];
    const { controller, clock, results, metrics } = setup(
      async (key, _signal, { reserve }) => {
        started.push(key);
        reserve([{ name: 'host' }]);
        await new Promise<void>((resolve) => inProgress.set(key, resolve));
        inProgress.delete(key);
        return done;
      },
      { workers: 4 },
    );
    return { controller, clock, results, metrics, started, inProgress };
  }

  test('gives its worker back if there is no slot, and starts again once there is one, without being reported', async () => {
    const { controller, clock, started, inProgress, results, metrics } = learning();
    for (const key of ['a', 'b', 'c']) controller.enqueue(key);
    await clock.advance(0);
    expect([...inProgress.keys()]).toEqual(['a']);
    expect(started).toEqual(['a', 'b', 'c']);
    expect(metrics.value('controller_requests_waiting_for_slot', label)).toBe(2);
    for (const key of ['a', 'b', 'c']) {
      expect([...inProgress.keys()]).toEqual([key]);
      inProgress.get(key)?.();
      await clock.advance(0);
    }
    // Without the backoff of a failure, each from its beginning.
    expect(started).toEqual(['a', 'b', 'c', 'b', 'c']);
    expect([clock.monotonic(), results('error'), results('success')]).toEqual([0, 0, 3]);
  });

  test('keeps its priority, and waits once for what it missed: it may depend on something else then', async () => {
    const hosts = new Map([
      ['a', 'slow'],
      ['b', 'slow'],
    ]);
    const begun: [key: string, isLowPriority: boolean][] = [];
    let end = () => {};
    const { controller, clock } = setup(
      async (key, _signal, { reserve, isLowPriority }) => {
        begun.push([key, isLowPriority]);
        const host = hosts.get(key) ?? '';
        reserve([{ name: host }]);
        if (host === 'slow')
          await new Promise<void>((resolve) => {
            end = resolve;
          });
        return done;
      },
      { workers: 4 },
    );
    controller.enqueue('a');
    controller.enqueue('b', { priority: LOW_PRIORITY });
    await clock.advance(0);
    hosts.set('b', 'fast');
    end();
    await clock.advance(0);
    for (const key of ['a', 'b']) {
      controller.enqueue(key);
      await clock.advance(0);
    }
    expect(begun).toEqual([
      ...[
        ['a', false],
        ['b', true],
        ['b', true],
      ],
      ...[
        ['a', false],
        ['b', false],
      ],
    ]);
    end();
  });
});

test('a first reconcile has priority over a poll that was due earlier', async () => {
  const begun: string[] = [];
  let end = () => {};
  const { controller, clock } = setup((key) => {
    begun.push(key);
    if (key !== 'long') return Promise.resolve(key === 'polled' ? pollAfter(1000) : done);
    return new Promise((resolve) => {
      end = () => resolve(done);
    });
  });
  controller.enqueue('polled');
  await clock.advance(0);
  controller.enqueue('long');
  await clock.advance(2000);
  controller.enqueue('new', { priority: LOW_PRIORITY });
  end();
  await clock.advance(0);
  expect(begun).toEqual(['polled', 'long', 'new', 'polled']);
});

test.each([
  { outcome: requeue, by: 'backoff' },
  { outcome: requeueAfter(1000), by: 'a delay' },
  { outcome: new Error('x'), by: 'an error' },
])('a low-priority reconcile that comes back by $by still is one', async ({ outcome }) => {
  const priorities: boolean[] = [];
  const { controller, clock } = setup(async (_key, _signal, { isLowPriority }) => {
    priorities.push(isLowPriority);
    if (priorities.length > 1) return done;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  controller.enqueue('a', { priority: LOW_PRIORITY });
  await clock.advance(2000);
  expect(priorities).toEqual([true, true]);
});

describe('low-priority reconciles while high-priority ones are in progress', () => {
  function hanging(workers: number) {
    const { ends, ...h } = endless({ workers });
    const end = async (key: string) => {
      ends.get(key)?.();
      await h.clock.advance(0);
    };
    const enqueueLowPriority = (count: number) => {
      for (let i = 0; i < count; i++) h.controller.enqueue(`r${i}`, { priority: LOW_PRIORITY });
    };
    return { ...h, end, enqueueLowPriority };
  }

  test('take an eighth of the workers, and all of them again afterwards', async () => {
    const { controller, clock, running, end, enqueueLowPriority } = hanging(8);
    enqueueLowPriority(20);
    await clock.advance(0);
    expect(running()).toHaveLength(8);
    controller.enqueue('urgent');
    await end('r0');
    expect(running()).toContain('urgent');
    for (const key of ['r1', 'r2', 'r3', 'r4', 'r5', 'r6']) await end(key);
    expect(running()).toEqual(['r7', 'urgent']);
    await end('r7');
    expect(running()).toEqual(['urgent', 'r8']);
    await end('urgent');
    expect(running()).toHaveLength(8);
  });

  test('are not throttled by one that hangs', async () => {
    const { controller, clock, running, enqueueLowPriority } = hanging(8);
    controller.enqueue('urgent');
    enqueueLowPriority(20);
    await clock.advance(0);
    expect(running()).toHaveLength(2);
    await clock.advance(2000);
    expect(running()).toHaveLength(8);
  });

  test('do not hold up a stop', async () => {
    const { controller, clock, end, enqueueLowPriority } = hanging(4);
    controller.enqueue('urgent');
    enqueueLowPriority(20);
    await clock.advance(0);
    const stopped = controller.stop();
    for (const key of ['urgent', 'r0']) await end(key);
    await stopped;
    expect(clock.pending()).toBe(0);
  });
});

describe('slow dependencies of one controller', () => {
  /** Controllers with one limiter, as in a program. Reconciles of `slow` do not end. */
  async function run(keyOf: (controller: string, key: string) => string, slots?: number) {
    const clock = createFakeClock();
    const limiter = createConcurrencyLimiter({ clock });
    const started: string[] = [];
    const controllerOf = (name: string, workers: number) =>
      setup(
        (key, signal) => {
          started.push(`${name} ${key}`);
          return name === 'slow'
            ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
            : Promise.resolve(done);
        },
        {
          ...{ clock, limiter, name, workers },
          limitKeysOf: (key) => [{ name: keyOf(name, key), remote: true, ...(slots && { slots }) }],
        },
      ).controller;
    const [slow, healthy] = [controllerOf('slow', 100), controllerOf('healthy', 25)];
    for (let i = 0; i < 200; i++) slow.enqueue(`${i}`);
    await clock.advance(10);
    const before = started.length;
    for (let i = 0; i < 25; i++) healthy.enqueue(`${i}`);
    await clock.advance(100);
    return { before, healthy: started.filter((each) => each.startsWith('healthy')).length };
  }

  test('leave the workers of another controller to it', async () => {
    // Three quarters of 100 workers.
    expect(await run((controller, key) => `cluster of ${controller} ${key}`)).toEqual({
      before: 75,
      healthy: 25,
    });
  });

  test('do not fill a limit of another controller that has the same name by chance', async () => {
    expect(await run(() => 'cluster kyma')).toEqual({ before: 25, healthy: 25 });
    expect(await run(() => 'credentials of tenants', 40)).toEqual({ before: 40, healthy: 25 });
  });
});
