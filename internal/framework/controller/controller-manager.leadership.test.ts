import { describe, expect, test } from '@jest/globals';
import { startAndStop } from '../process/manager.ts';
import { createFakeElector, lastingUntilAborted, setup } from './controller-manager.fixture.ts';
import { done } from './reconcile-result.ts';

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

  test('what a replica that does not lead has queued waits for no worker', async () => {
    const { elector, elect } = createFakeElector();
    const h = setup({ leaderElector: elector });
    h.addController('c', async () => done, {
      start: (enqueue) => {
        enqueue('a');
        return () => undefined;
      },
    });
    const own = { name: 'c', controller: 'c' };
    const { outcome } = await h.start();
    await h.clock.advance(3_600_000);
    const depth = h.metrics.value('workqueue_depth', { ...own, priority: '0' });
    elect();
    await h.settle();
    h.stop.abort();
    await outcome;
    expect([depth, h.metrics.observations('workqueue_queue_duration_seconds', own)]).toEqual([0, [0]]);
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
