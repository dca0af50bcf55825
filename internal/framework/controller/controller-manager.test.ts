import { describe, expect, test } from '@jest/globals';
import { startAndStop, untilAborted } from '../process/manager.ts';
import { createFakeElector, setup } from './controller-manager.fixture.ts';
import { done } from './reconcile-result.ts';

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

test('one check is ready or not, whatever the others say: webhooks are served while a watch is broken', async () => {
  const h = setup();
  h.addController('c', undefined, { problem: () => ({ text: 'no connection', forMs: 60_000 }) });
  h.manager.addReadyCheck('webhook', () => undefined);
  const { outcome } = await h.start();
  const page = async (path: string) => {
    const { status, body } = await fetch(`http://${h.manager.addresses().health}${path}`).then(
      async (response) => ({
        status: response.status,
        body: await response.text(),
      }),
    );
    return [status, body];
  };
  expect(await page('/readyz')).toEqual([
    500,
    expect.stringContaining('[-]c failed: its caches have been out of date'),
  ]);
  expect(await page('/readyz/webhook')).toEqual([200, '[+]webhook ok\nreadyz check passed\n']);
  expect((await page('/readyz/c'))[0]).toBe(500);
  expect((await page('/readyz/none'))[0]).toBe(404);
  h.stop.abort();
  await outcome;
});
