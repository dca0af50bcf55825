import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../base/errors/errors.ts';
import type { CacheProblem } from '../kube/cache/cache.ts';
import { createPrometheusMetrics } from '../process/telemetry/prometheus.ts';
import { label, script, setup } from './controller.fixture.ts';
import { LOW_PRIORITY } from './queue/work-queue.ts';
import { done, pollAfter, requeue, requeueAfter } from './reconcile-result.ts';
import type { Source } from './sources/source.ts';

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

  test('a terminal error forgets the failures before it', async () => {
    const { controller, clock, times } = script(
      ...[new Error('a'), new Error('b'), new ProviderError('terminal', 'no'), new Error('c'), done],
    );
    controller.enqueue('a');
    await clock.advance(10_000);
    controller.enqueue('a');
    await clock.advance(10_000);
    expect(times).toEqual([0, 1000, 3000, 10_000, 11_000]);
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

test('a source of a cluster that is not required is waited for until it has synced or failed once, and is no problem of the controller', async () => {
  const of = (required: boolean) => {
    let synced = false;
    const tried = Promise.withResolvers<void>();
    const source: Source = {
      cluster: { name: 'c', required },
      start: () => () => undefined,
      hasSynced: () => synced,
      whenSynced: async () => {
        if (!synced) await new Promise(() => undefined);
      },
      whenTried: () => tried.promise,
      problem: () => (synced ? undefined : { text: `required: ${required}`, forMs: required ? 1 : 2 }),
    };
    return { source, sync: () => (synced = true), fail: tried.resolve };
  };
  const [required, optional] = [of(true), of(false)];
  const { controller, clock } = setup(async () => done, { sources: [required.source, optional.source] });
  expect([controller.hasSynced(), controller.problem()?.text]).toEqual([false, 'required: true']);
  required.sync();
  let isReady = false;
  const ready = controller.whenSynced(AbortSignal.abort()).then(() => (isReady = true));
  await clock.advance(1000);
  expect(isReady).toBe(false);
  optional.fail();
  await ready;
  expect([controller.hasSynced(), controller.problem()]).toEqual([true, undefined]);
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
        /^(workqueue_(depth|unfinished|longest)|controller_.*(workers|concurrent|waiting))/.test(line),
      );
  expect(await gauges()).toHaveLength(6);
  await controller.stop();
  expect(await gauges()).toEqual([]);
  expect(await metrics.text()).toContain(
    'controller_runtime_reconcile_total{controller="c",result="success"} 1',
  );
});

test('only the kind of the controller itself counts as one that is not installed', () => {
  const problems = (...found: (CacheProblem | undefined)[]) => {
    const sources = found.map((problem) => ({
      start: () => () => undefined,
      hasSynced: () => false,
      whenSynced: async () => undefined,
      problem: () => problem,
    }));
    return setup(async () => done, { sources }).controller.problem();
  };
  const missing = { text: 'not installed', forMs: 5, kindMissing: true };
  const other = { text: 'refused', forMs: 9 };
  expect(problems(missing, other)).toEqual(missing);
  expect(problems(undefined, missing)).toEqual({ ...missing, kindMissing: false });
  expect(problems(other, missing)).toEqual({ ...other });
});
