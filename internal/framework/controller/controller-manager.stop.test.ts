import { describe, expect, test } from '@jest/globals';
import { type Runnable, startAndStop } from '../process/manager.ts';
import { createFakeElector, lastingUntilAborted, setup } from './controller-manager.fixture.ts';
import { done } from './reconcile-result.ts';

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

  test('ends when what ignores its abort has ended: only then may it begin again', async () => {
    const h = setup({ drainTimeoutMs: 30_000 });
    const gate = Promise.withResolvers<void>();
    const controller = h.addController('c', async () => {
      await gate.promise;
      return done;
    });
    const { outcome } = await h.start();
    controller.enqueue('a');
    await h.settle();
    let removed = false;
    const removal = h.manager.removeController(controller).then(() => {
      removed = true;
    });
    await h.clock.advance(600_000);
    expect(h.lines).toContain('reconciles did not end when aborted');
    expect(removed).toBe(false);
    gate.resolve();
    await removal;
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

describe('a runnable without leadership that does not end', () => {
  const hanging = (name: string, onAbort: (resolve: () => void) => void = () => undefined): Runnable => ({
    name,
    start: (_, abort) =>
      new Promise((resolve) => {
        abort.addEventListener('abort', () => onAbort(resolve), { once: true });
      }),
  });

  test('is aborted when the drain time has passed, and the Lease is released', async () => {
    const { elector, log, elect } = createFakeElector();
    const h = setup({ leaderElector: elector, drainTimeoutMs: 30_000 });
    const ended: string[] = [];
    h.manager.add(
      hanging('server', (resolve) => {
        ended.push('server');
        resolve();
      }),
    );
    h.addController('c');
    const { outcome } = await h.start();
    elect();
    await h.settle();
    h.stop.abort();
    await h.clock.advance(29_999);
    expect([ended, log]).toEqual([[], []]);
    await h.clock.advance(1);
    await outcome;
    expect([ended, log]).toEqual([['server'], ['released']]);
  });

  test('is left behind soon after it was aborted, whatever else hangs', async () => {
    const { elector, log, elect } = createFakeElector();
    const h = setup({ leaderElector: elector, drainTimeoutMs: 30_000 });
    for (const name of ['a', 'b', 'c']) h.manager.add(hanging(name));
    h.addController('d');
    const { outcome } = await h.start();
    elect();
    await h.settle();
    let isOver = false;
    outcome.then(() => {
      isOver = true;
    });
    h.stop.abort();
    await h.clock.advance(32_000);
    expect([isOver, log]).toEqual([true, ['released']]);
  });
});
