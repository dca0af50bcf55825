import { describe, expect, test } from '@jest/globals';
import { createTokenBucket } from '../../base/concurrency/token-bucket.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { nopLogger } from '../../base/telemetry/logger.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createPrometheusMetrics } from '../telemetry/metrics/prometheus.ts';
import { type ControllerOptions, createController } from './controller.ts';
import { LOW_PRIORITY } from './queue/work-queue.ts';
import { done, pollAfter, type Reconcile, requeue, requeueAfter } from './reconcile-result.ts';

const label = { controller: 'c' };

function setup(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = createFakeClock();
  const metrics = createFakeMetrics();
  const controller = createController({
    name: 'c',
    sources: [],
    reconcile,
    clock,
    log: nopLogger,
    metrics,
    ...options,
  });
  controller.work();
  const results = (result: string) =>
    metrics.value('controller_runtime_reconcile_total', { ...label, result });
  return { clock, metrics, controller, results };
}

/** Reconciles that answer with `outcomes` in turn and note when they ran. */
function script(...outcomes: (ReturnType<typeof requeueAfter> | Error)[]) {
  const times: number[] = [];
  let clock = createFakeClock();
  const reconcile: Reconcile = async () => {
    times.push(clock.monotonic());
    const outcome = outcomes.length > 1 ? outcomes.shift() : outcomes[0];
    if (outcome instanceof Error) throw outcome;
    return outcome ?? done;
  };
  const h = setup(reconcile);
  clock = h.clock;
  return { ...h, times };
}

describe('the request of a reconcile', () => {
  test.each([
    { reason: 'something changed', options: {}, isLowPriority: false },
    {
      reason: 'the process has just started, or a poll is due',
      options: { priority: LOW_PRIORITY },
      isLowPriority: true,
    },
  ])('has low priority or not: $reason', async ({ options, isLowPriority }) => {
    const seen: boolean[] = [];
    const { controller, clock } = setup(async (_key, _signal, request) => {
      seen.push(request.isLowPriority);
      return done;
    });
    controller.enqueue('a', options);
    await clock.advance(0);
    expect(seen).toEqual([isLowPriority]);
  });

  test('a poll has low priority, unless something changes before it', async () => {
    const seen: boolean[] = [];
    const { controller, clock } = setup(async (_key, _signal, request) => {
      seen.push(request.isLowPriority);
      return pollAfter(1000);
    });
    controller.enqueue('a');
    await clock.advance(1000);
    controller.enqueue('a');
    await clock.advance(0);
    expect(seen).toEqual([false, true, false]);
  });
});

describe('what follows a reconcile', () => {
  test('an error is retried with backoff', async () => {
    const { controller, clock, times, results, metrics } = script(new Error('boom'), new Error('boom'), done);
    controller.enqueue('a');
    await clock.advance(10_000);
    expect(times).toEqual([0, 1000, 3000]);
    expect([results('error'), results('success')]).toEqual([2, 1]);
    expect(metrics.value('controller_runtime_reconcile_errors_total', label)).toBe(2);
  });

  test('requeue keeps the counter of failures, done forgets it', async () => {
    const { controller, clock, times, results } = script(requeue, requeue, done, requeue, done);
    controller.enqueue('a');
    await clock.advance(3000);
    expect(times).toEqual([0, 1000, 3000]);
    controller.enqueue('a');
    await clock.advance(1000);
    expect(times).toEqual([0, 1000, 3000, 3000, 4000]);
    expect(results('requeue')).toBe(3);
  });

  test('requeueAfter comes after its delay and forgets failures', async () => {
    const { controller, clock, times, results } = script(
      new Error('boom'),
      requeueAfter(500),
      new Error('boom'),
      done,
    );
    controller.enqueue('a');
    await clock.advance(10_000);
    expect(times).toEqual([0, 1000, 1500, 2500]);
    expect(results('requeue_after')).toBe(1);
  });

  test('a terminal error is not retried', async () => {
    const { controller, clock, times, results, metrics } = script(new ProviderError('terminal', 'no'));
    controller.enqueue('a');
    await clock.advance(600_000);
    expect(times).toEqual([0]);
    expect(results('error')).toBe(1);
    expect(metrics.value('controller_runtime_terminal_reconcile_errors_total', label)).toBe(1);
  });

  test('a fault of ours is an error like others, and the worker lives on', async () => {
    const { controller, clock, times, metrics } = script(new TypeError('x is undefined'), done);
    controller.enqueue('a');
    await clock.advance(1000);
    expect(times).toEqual([0, 1000]);
    expect(metrics.value('controller_runtime_reconcile_panics_total', label)).toBe(1);
  });

  test('a reconcile that throws before it returns a promise is an error too', async () => {
    let runs = 0;
    const { controller, clock } = setup(() => {
      if (++runs === 1) throw new Error('synchronous');
      return Promise.resolve(done);
    });
    controller.enqueue('a');
    await clock.advance(1000);
    expect(runs).toBe(2);
  });
});

describe('workers', () => {
  test('as many keys as there are workers run at once, one key never twice', async () => {
    const running: string[] = [];
    let most = 0;
    const gates: (() => void)[] = [];
    const { controller, clock, metrics } = setup(
      async (key) => {
        expect(running).not.toContain(key);
        running.push(key);
        most = Math.max(most, running.length);
        await new Promise<void>((resolve) => gates.push(resolve));
        running.splice(running.indexOf(key), 1);
        return done;
      },
      { workers: 3 },
    );
    for (const key of ['a', 'b', 'c', 'd', 'a', 'b']) controller.enqueue(key);
    await clock.advance(0);
    controller.enqueue('a');
    await clock.advance(0);
    expect(running).toEqual(['a', 'b', 'c']);
    expect(metrics.value('controller_runtime_active_workers', label)).toBe(3);
    for (let i = 0; i < 5; i++) {
      for (const open of gates.splice(0)) open();
      await clock.advance(0);
    }
    expect(most).toBe(3);
    expect(metrics.value('controller_runtime_active_workers', label)).toBe(0);
    expect(metrics.value('controller_runtime_max_concurrent_reconciles', label)).toBe(3);
  });

  test('a reconcile that exceeds its deadline is aborted by its signal and counted', async () => {
    const { controller, clock, metrics } = setup(
      (_, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      { timeoutMs: 90_000 },
    );
    controller.enqueue('a');
    await clock.advance(90_000);
    expect(metrics.value('controller_runtime_reconcile_timeouts_total', label)).toBe(1);
    expect(metrics.observations('controller_runtime_reconcile_time_seconds', label)).toEqual([90]);
  });

  test('stopping lets what runs end, starts nothing more and leaves no timer', async () => {
    const gate = Promise.withResolvers<void>();
    const ran: string[] = [];
    const { controller, clock } = setup(async (key) => {
      ran.push(key);
      await gate.promise;
      return requeueAfter(1000);
    });
    controller.enqueue('a');
    controller.enqueue('b');
    controller.enqueue('c', { delayMs: 5000 });
    await clock.advance(0);
    let stopped = false;
    const stop = controller.stop().then(() => {
      stopped = true;
    });
    await clock.advance(10_000);
    expect([ran, stopped]).toEqual([['a'], false]);
    gate.resolve();
    await stop;
    expect(clock.pending()).toBe(0);
  });

  test('aborting reaches the reconciles that run and those that begin afterwards', async () => {
    const reasons: unknown[] = [];
    const { controller, clock } = setup((_, signal) => {
      if (signal.aborted) reasons.push(signal.reason);
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        });
        if (signal.aborted) reject(signal.reason);
      });
    });
    const reason = new Error('no longer the leader');
    controller.enqueue('a');
    controller.enqueue('b');
    await clock.advance(0);
    controller.abort(reason);
    await clock.advance(0);
    expect(reasons).toEqual([reason, reason]);
  });
});

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

/** Reconciles that end when the test ends them. */
function endless(options: Parameters<typeof setup>[1]) {
  const ends = new Map<string, () => void>();
  const h = setup(
    (key) =>
      new Promise((resolve) => {
        ends.set(key, () => {
          ends.delete(key);
          resolve(done);
        });
      }),
    options,
  );
  return { ...h, ends, running: () => [...ends.keys()] };
}

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
    expect(metrics.value('controller_keys_put_aside', label)).toBe(48);
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
    expect(metrics.value('controller_keys_put_aside', label)).toBe(0);
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
    expect(metrics.value('controller_keys_put_aside', label)).toBe(2);
    for (const key of ['a', 'b', 'c']) {
      expect([...inProgress.keys()]).toEqual([key]);
      inProgress.get(key)?.();
      await clock.advance(0);
    }
    // Without the backoff of a failure, each from its beginning.
    expect(started).toEqual(['a', 'b', 'c', 'b', 'c']);
    expect([clock.monotonic(), results('error'), results('success')]).toEqual([0, 0, 3]);
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

test('a controller that has ended leaves its counts, and nothing of what it was doing', async () => {
  const metrics = createPrometheusMetrics();
  const { controller, clock } = setup(async () => done, { metrics });
  controller.enqueue('a');
  controller.enqueue('later', { delayMs: 60_000 });
  await clock.advance(0);
  const gauges = async () =>
    (await metrics.text())
      .split('\n')
      .filter((line) =>
        /^(workqueue_(depth|unfinished|longest)|controller_.*(workers|concurrent|aside))/.test(line),
      );
  expect(await gauges()).toHaveLength(6);
  await controller.stop();
  expect(await gauges()).toEqual([]);
  expect(await metrics.text()).toContain(
    'controller_runtime_reconcile_total{controller="c",result="success"} 1',
  );
});
