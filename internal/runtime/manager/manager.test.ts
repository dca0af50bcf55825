import { describe, expect, test } from '@jest/globals';
import { createFakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { type Logger, nopLogger } from '../../base/telemetry/logger.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createController } from '../controller/controller.ts';
import { done, type Reconcile } from '../controller/reconcile-result.ts';
import type { Source } from '../controller/source.ts';
import { createManager, type LeaderElector, type ManagerOptions } from './manager.ts';
import { startAndStop, untilAborted } from './runnable.ts';

function createFakeElector() {
  const elected = Promise.withResolvers<void>();
  let lose: () => void = () => undefined;
  const log: string[] = [];
  const elector: LeaderElector = {
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        elected.promise.then(resolve, reject);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    onLost: (fn) => {
      lose = fn;
    },
    assertLeading: () => undefined,
    release: async () => void log.push('released'),
  };
  return { elector, log, elect: () => elected.resolve(), lose: () => lose() };
}

function setup(options: Partial<ManagerOptions> = {}) {
  const clock = createFakeClock();
  const lines: string[] = [];
  /** The address of every endpoint, from the log. */
  const served: unknown[] = [];
  const log: Logger = {
    ...nopLogger,
    info: (message, fields) => {
      if (message === 'serving') served.push(fields?.address);
      else lines.push(`${message} ${String(fields?.controller ?? '')}`.trim());
    },
    error: (message) => void lines.push(message),
    child: () => log,
  };
  const manager = createManager({
    clock,
    log,
    metrics: { contentType: 'text/plain', text: async () => 'metrics\n' },
    metricsAddress: '0',
    healthAddress: '127.0.0.1:0',
    ...options,
  });
  const stop = new AbortController();
  const addController = (name: string, reconcile: Reconcile = async () => done, source?: Partial<Source>) => {
    const controller = createController({
      name,
      sources: [
        {
          start: () => () => undefined,
          hasSynced: () => true,
          whenSynced: async () => undefined,
          ...source,
        },
      ],
      reconcile,
      clock,
      log: nopLogger,
      metrics: createFakeMetrics(),
    });
    manager.addController(controller);
    return controller;
  };
  const settle = async () => {
    for (let i = 0; i < 5; i++) await clock.advance(0);
  };
  const ready = async () => {
    const response = await fetch(`http://${manager.addresses().health}/readyz`);
    return [response.status, await response.text()] as const;
  };
  /** Runs until the endpoints listen. */
  const start = async () => {
    const outcome = manager.run(stop.signal);
    outcome.catch(() => undefined);
    while (manager.addresses().health === undefined) await settle();
    await settle();
    return { outcome };
  };
  return { clock, lines, served, manager, stop, addController, settle, ready, start };
}

/** A reconcile that lasts until it is aborted. */
const lastingUntilAborted =
  (onAbort: (reason: unknown) => void = () => undefined): Reconcile =>
  (_, signal) =>
    new Promise((_resolve, reject) =>
      signal.addEventListener('abort', () => {
        onAbort(signal.reason);
        reject(signal.reason);
      }),
    );

describe('starting', () => {
  test('runnables start before watches, watches before workers, and stop after them in reverse', async () => {
    const h = setup();
    const order: string[] = [];
    for (const name of ['informer', 'recorder']) {
      h.manager.add(
        startAndStop(name, () => {
          order.push(`start ${name}`);
          return () => void order.push(`stop ${name}`);
        }),
      );
    }
    const controller = h.addController(
      'c',
      async () => {
        order.push('reconcile');
        return done;
      },
      {
        start: (enqueue) => {
          order.push('watch');
          enqueue('a');
          return () => void order.push('unwatch');
        },
      },
    );
    const { outcome } = await h.start();
    expect(controller.hasSynced()).toBe(true);
    h.stop.abort();
    await outcome;
    expect(order).toEqual([
      'start informer',
      'start recorder',
      'watch',
      'reconcile',
      'unwatch',
      'stop recorder',
      'stop informer',
    ]);
  });

  test('a controller whose caches do not sync keeps no other one from working, and says so', async () => {
    const h = setup();
    h.addController('late', undefined, {
      hasSynced: () => false,
      whenSynced: (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    h.addController('prompt');
    const { outcome } = await h.start();
    expect(h.lines).toEqual(['controller started prompt']);
    await h.clock.advance(20_000);
    expect(h.lines.slice(1)).toEqual(['waiting for caches late', 'waiting for caches late']);
    expect(await h.ready()).toEqual([
      500,
      '[+]ping ok\n[-]late failed: its caches have not synced\n[+]prompt ok\nreadyz check failed\n',
    ]);
    h.stop.abort();
    await outcome;
    expect(h.clock.pending()).toBe(0);
  });

  test.each([
    { forMs: 9_999, ready: 200, says: '[+]c ok', reason: 'servers end watches, and restart' },
    {
      forMs: 10_000,
      ready: 500,
      says: '[-]c failed: its caches have been out of date for 10 s: cannot list Widgets',
      reason: 'the controller would not hear of a change',
    },
  ])('caches that cannot follow for $forMs ms: $ready, since $reason', async ({ forMs, ready, says }) => {
    const h = setup();
    h.addController('c', undefined, { problem: () => ({ text: 'cannot list Widgets', forMs }) });
    const { outcome } = await h.start();
    const [status, page] = await h.ready();
    expect([status, page.split('\n')[1]]).toEqual([ready, says]);
    h.stop.abort();
    await outcome;
  });

  test('caches that have not synced say what keeps them from it', async () => {
    const h = setup();
    h.addController('c', undefined, {
      hasSynced: () => false,
      problem: () => ({ text: 'it is forbidden', forMs: 1 }),
    });
    const { outcome } = await h.start();
    expect((await h.ready())[1]).toContain('[-]c failed: its caches have not synced: it is forbidden\n');
    h.stop.abort();
    await outcome;
  });

  test('a controller added later starts on the running manager', async () => {
    const h = setup();
    const { outcome } = await h.start();
    h.addController('later');
    await h.settle();
    expect(h.lines).toEqual(['controller started later']);
    h.stop.abort();
    await outcome;
  });

  test('an endpoint that cannot listen ends the run with its reason', async () => {
    const h = setup({ healthAddress: 'nonsense' });
    await expect(h.manager.run(h.stop.signal)).rejects.toThrow('cannot listen on "nonsense"');
  });

  test('metrics and probes are served, from one endpoint where the addresses are the same', async () => {
    const h = setup({ metricsAddress: '127.0.0.1:0' });
    const { outcome } = await h.start();
    const { metrics, health } = h.manager.addresses();
    expect(metrics).toBe(health);
    // Where any free port is asked for, the log is the only place to learn it.
    expect(h.served).toEqual([metrics]);
    expect(await (await fetch(`http://${metrics}/metrics`)).text()).toBe('metrics\n');
    expect((await fetch(`http://${health}/healthz`)).status).toBe(200);
    h.stop.abort();
    await outcome;
    await expect(fetch(`http://${metrics}/metrics`)).rejects.toThrow();
  });

  test('further checks decide about health and readiness', async () => {
    const h = setup();
    h.manager.addHealthCheck('disk', () => {
      throw new Error('full');
    });
    h.manager.addReadyCheck('webhook', () => undefined);
    const { outcome } = await h.start();
    expect((await fetch(`http://${h.manager.addresses().health}/healthz`)).status).toBe(500);
    expect(await h.ready()).toEqual([200, '[+]ping ok\n[+]webhook ok\nreadyz check passed\n']);
    h.stop.abort();
    await outcome;
  });
});

describe('runnables', () => {
  test.each([
    ['rejects', () => Promise.reject(new Error('port is taken')), 'cannot run scheduler: port is taken'],
    ['resolves', async () => undefined, 'cannot run scheduler: it ended before it was stopped'],
  ])('one that %s before it is stopped ends the run with its reason', async (_, start, reason) => {
    const h = setup();
    let stopped = false;
    h.manager.add(
      startAndStop('recorder', () => () => {
        stopped = true;
      }),
    );
    h.manager.add({ name: 'scheduler', start });
    await expect(h.manager.run(h.stop.signal)).rejects.toThrow(reason);
    expect(stopped).toBe(true);
  });

  test('one that needs leadership starts after it is warmed up and this replica leads, and ends first', async () => {
    const { elector, elect, log } = createFakeElector();
    const h = setup({ leaderElector: elector });
    const warm = Promise.withResolvers<void>();
    h.manager.add({
      name: 'scheduler',
      needsLeadership: true,
      warmUp: () => {
        log.push('warm up');
        return warm.promise;
      },
      start: async (signal) => {
        log.push('schedule');
        await untilAborted(signal);
        log.push('scheduled');
      },
    });
    h.manager.add(startAndStop('recorder', () => () => void log.push('flushed')));
    const { outcome } = await h.start();
    elect();
    await h.settle();
    expect(log).toEqual(['warm up']);
    warm.resolve();
    await h.settle();
    h.stop.abort();
    await outcome;
    expect(log).toEqual(['warm up', 'schedule', 'scheduled', 'flushed', 'released']);
  });

  test('one that was not started yet when the manager stops is not started', async () => {
    const { elector } = createFakeElector();
    const h = setup({ leaderElector: elector });
    let warmUpEnded = false;
    h.manager.add({
      name: 'scheduler',
      needsLeadership: true,
      warmUp: async (signal) =>
        signal.addEventListener('abort', () => {
          warmUpEnded = true;
        }),
      start: () => Promise.reject(new Error('must not start')),
    });
    const { outcome } = await h.start();
    h.stop.abort();
    await outcome;
    expect([warmUpEnded, h.lines]).toEqual([true, []]);
  });

  test('one that is removed ends, and the others go on', async () => {
    const h = setup();
    let ended = false;
    const scheduler = startAndStop('scheduler', () => () => {
      ended = true;
    });
    h.addController('c');
    const { outcome } = await h.start();
    h.manager.add(scheduler);
    await h.manager.remove(scheduler);
    expect([ended, (await h.ready())[0]]).toEqual([true, 200]);
    h.stop.abort();
    await outcome;
  });
});

describe('removing a controller', () => {
  test('lets what runs end, begins nothing more, and takes its check away; the others go on', async () => {
    const h = setup();
    const gate = Promise.withResolvers<void>();
    const ran: string[] = [];
    const controller = h.addController('c', async (key) => {
      ran.push(key);
      await gate.promise;
      return done;
    });
    h.addController('other');
    const { outcome } = await h.start();
    controller.enqueue('a');
    controller.enqueue('b');
    await h.settle();
    let removed = false;
    const removal = h.manager.removeController(controller).then(() => {
      removed = true;
    });
    await h.settle();
    expect([removed, await h.ready()]).toEqual([
      false,
      [200, '[+]ping ok\n[+]other ok\nreadyz check passed\n'],
    ]);
    gate.resolve();
    await removal;
    expect(ran).toEqual(['a']);
    h.stop.abort();
    await outcome;
  });

  test('aborts what takes longer than the patience', async () => {
    const h = setup({ drainTimeoutMs: 30_000 });
    const controller = h.addController('c', lastingUntilAborted());
    const { outcome } = await h.start();
    controller.enqueue('a');
    await h.settle();
    const removal = h.manager.removeController(controller);
    await h.clock.advance(30_000);
    await removal;
    expect(h.lines).toContain('reconciles still running, aborting them');
    h.stop.abort();
    await outcome;
  });

  test('one whose caches never synced does not begin afterwards', async () => {
    const h = setup();
    const synced = Promise.withResolvers<void>();
    const controller = h.addController('late', undefined, {
      hasSynced: () => false,
      whenSynced: (signal) => {
        signal.addEventListener('abort', () => synced.reject(signal.reason));
        return synced.promise;
      },
    });
    const { outcome } = await h.start();
    await h.manager.removeController(controller);
    await h.settle();
    expect(h.lines).toEqual(['controller ended late']);
    expect(h.clock.pending()).toBe(0);
    h.stop.abort();
    await outcome;
  });

  test('a loss of leadership reaches one that is on its way out', async () => {
    const { elector, elect, lose } = createFakeElector();
    const h = setup({ leaderElector: elector });
    let aborted = false;
    const reconcile = lastingUntilAborted(() => {
      aborted = true;
    });
    const controller = h.addController('c', reconcile);
    const { outcome } = await h.start();
    elect();
    await h.settle();
    controller.enqueue('a');
    await h.settle();
    const removal = h.manager.removeController(controller);
    lose();
    expect(aborted).toBe(true);
    await removal;
    await expect(outcome).rejects.toThrow('another replica may lead by now');
  });
});

describe('stopping', () => {
  test('a reconcile that runs may end, and nothing else starts', async () => {
    const h = setup();
    const gate = Promise.withResolvers<void>();
    const ran: string[] = [];
    const controller = h.addController('c', async (key) => {
      ran.push(key);
      await gate.promise;
      return done;
    });
    const { outcome } = await h.start();
    controller.enqueue('a');
    controller.enqueue('b');
    await h.settle();
    h.stop.abort();
    await h.clock.advance(29_000);
    gate.resolve();
    await outcome;
    expect(ran).toEqual(['a']);
  });

  test('a reconcile that takes longer than the patience is aborted', async () => {
    const h = setup({ drainTimeoutMs: 30_000 });
    let aborted = false;
    const reconcile = lastingUntilAborted(() => {
      aborted = true;
    });
    const controller = h.addController('c', reconcile);
    const { outcome } = await h.start();
    controller.enqueue('a');
    await h.settle();
    h.stop.abort();
    await h.clock.advance(29_999);
    expect(aborted).toBe(false);
    await h.clock.advance(1);
    expect(aborted).toBe(true);
    await outcome;
    expect(h.lines).toContain('reconciles still running, aborting them');
  });

  test('a runnable that cannot stop does not keep the others from stopping', async () => {
    const h = setup();
    let stopped = false;
    h.manager.add(
      startAndStop('first', () => () => {
        stopped = true;
      }),
    );
    h.manager.add(startAndStop('second', () => () => Promise.reject(new Error('no'))));
    const { outcome } = await h.start();
    h.stop.abort();
    await outcome;
    expect([stopped, h.lines]).toEqual([true, ['cannot stop cleanly']]);
  });
});

describe('leadership', () => {
  test('watches start before leadership, workers after, and it is released last', async () => {
    const { elector, elect, log } = createFakeElector();
    const h = setup({ leaderElector: elector });
    h.manager.add(startAndStop('recorder', () => () => void log.push('flushed')));
    h.addController(
      'c',
      async () => {
        log.push('reconcile');
        return done;
      },
      {
        start: (enqueue) => {
          log.push('watch');
          enqueue('a');
          return () => undefined;
        },
      },
    );
    const { outcome } = await h.start();
    expect(log).toEqual(['watch']);
    elect();
    await h.settle();
    expect(log).toEqual(['watch', 'reconcile']);
    h.stop.abort();
    await outcome;
    expect(log).toEqual(['watch', 'reconcile', 'flushed', 'released']);
  });

  test('a replica that never led stops without work', async () => {
    const { elector } = createFakeElector();
    const h = setup({ leaderElector: elector });
    const controller = h.addController('c', () => Promise.reject(new Error('must not run')));
    const { outcome } = await h.start();
    controller.enqueue('a');
    h.stop.abort();
    await expect(outcome).resolves.toBeUndefined();
    expect(h.lines).toEqual([]);
  });

  test('it is not released while a reconcile that ignores its abort may still write', async () => {
    const { elector, elect, log } = createFakeElector();
    const h = setup({ leaderElector: elector });
    const controller = h.addController('c', () => new Promise(() => undefined));
    const { outcome } = await h.start();
    elect();
    await h.settle();
    controller.enqueue('a');
    await h.settle();
    h.stop.abort();
    await h.clock.advance(32_000);
    await outcome;
    expect(log).toEqual([]);
    expect(h.lines).toContain('reconciles did not end when aborted');
  });

  test('losing it aborts what runs at once and ends the run with an error', async () => {
    const { elector, elect, lose } = createFakeElector();
    const h = setup({ leaderElector: elector });
    const reasons: unknown[] = [];
    const controller = h.addController(
      'c',
      lastingUntilAborted((reason) => reasons.push(reason)),
    );
    const { outcome } = await h.start();
    elect();
    await h.settle();
    controller.enqueue('a');
    await h.settle();
    lose();
    expect(reasons).toHaveLength(1);
    await expect(outcome).rejects.toThrow('another replica may lead by now');
  });
});
