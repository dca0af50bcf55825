import { describe, expect, test } from '@jest/globals';
import { createFakeMetrics } from '../base/telemetry/fake-metrics.ts';
import { nopLogger } from '../base/telemetry/telemetry.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { apiError, createMemoryClient } from './fakes/memory-client.ts';
import { createLeaderElector } from './leader-election.ts';
import { leases } from './object/resource-type.ts';

const key = { namespace: 'crossplane-system', name: 'crossplane-leader-election-p' };

function setup() {
  const clock = createFakeClock();
  /** Time that passed without any timer noticing, as on a machine that stood still. */
  let stood = 0;
  let suspended = 0;
  const server = createMemoryClient({ clock });
  const stored = () => server.peek(leases, key)?.spec;
  const replica = (identity: string) => {
    const metrics = createFakeMetrics();
    let fault: () => Promise<void> | void = () => undefined;
    /** The same API server, by a way of its own that may be cut. */
    const client = {
      ...server,
      get: async (...args: Parameters<typeof server.get>) => {
        await fault();
        return server.get(...args);
      },
      update: async (...args: Parameters<typeof server.update>) => {
        await fault();
        return server.update(...args);
      },
    } as typeof server;
    const elector = createLeaderElector({
      client,
      lease: key,
      identity,
      clock: { ...clock, monotonic: () => clock.monotonic() + stood, now: () => clock.now() + suspended },
      random: () => 0,
      log: nopLogger,
      metrics,
    });
    const stop = new AbortController();
    const state = { leads: false, lost: 0 };
    elector.onLost(() => {
      state.leads = false;
      state.lost++;
    });
    elector.acquire(stop.signal).then(
      () => {
        state.leads = true;
      },
      () => undefined,
    );
    return {
      state,
      stop,
      elector,
      status: () => metrics.value('leader_election_master_status', { name: key.name }),
      cut: (how: () => Promise<void> | void) => {
        fault = how;
      },
    };
  };
  const standStill = (ms: number) => {
    stood += ms;
  };
  /** As a suspended machine: the wall clock goes on, the monotonic clock and the timers do not. */
  const suspend = (ms: number) => {
    suspended += ms;
  };
  return { clock, server, stored, replica, standStill, suspend };
}
const refuse = () => {
  throw apiError(503, 'ServiceUnavailable');
};

/** Replica a leads. */
async function led() {
  const h = setup();
  const a = h.replica('a');
  await h.clock.advance(0);
  return { h, a };
}

describe('leader election', () => {
  test('the first one leads and writes a Lease that the API server takes', async () => {
    const { h, a } = await led();
    expect([a.state.leads, a.status()]).toEqual([true, 1]);
    expect(h.stored()).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2024-01-01T00:00:00.000000Z',
      renewTime: '2024-01-01T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    await h.clock.advance(2000);
    expect(h.stored()).toMatchObject({
      acquireTime: '2024-01-01T00:00:00.000000Z',
      renewTime: '2024-01-01T00:00:02.000000Z',
    });
  });

  test('of two concurrent candidates one leads, as long as it renews', async () => {
    const h = setup();
    const a = h.replica('a');
    const b = h.replica('b');
    await h.clock.advance(600_000);
    expect([a.state.leads, b.state.leads].filter(Boolean)).toHaveLength(1);
    expect(a.state.lost + b.state.lost).toBe(0);
  });

  test('a holder that goes silent is succeeded after the duration, and has stopped before', async () => {
    const { h, a } = await led();
    const b = h.replica('b');
    a.cut(refuse);
    await h.clock.advance(9999);
    expect(a.state).toEqual({ leads: true, lost: 0 });
    await h.clock.advance(1);
    expect([a.state, a.status()]).toEqual([{ leads: false, lost: 1 }, 0]);
    expect(b.state.leads).toBe(false);
    await h.clock.advance(7000);
    expect(b.state.leads).toBe(true);
    expect(h.stored()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  test('a holder whose requests hang stops at its deadline', async () => {
    const { h, a } = await led();
    a.cut(() => new Promise(() => undefined));
    await h.clock.advance(10_000);
    expect(a.state).toEqual({ leads: false, lost: 1 });
    await a.elector.release(new AbortController().signal);
    expect(h.clock.pending()).toBe(0);
  });

  test('a leader that was suspended beyond its deadline may not write, even before a timer fires', async () => {
    const { h, a } = await led();
    a.elector.assertLeading();
    h.standStill(9999);
    a.elector.assertLeading();
    h.standStill(1);
    expect(() => a.elector.assertLeading()).toThrow('this replica does not lead');
    expect([a.state, a.status()]).toEqual([{ leads: false, lost: 1 }, 0]);
  });

  test('a holder whose machine was suspended may not write until a renewal shows that it still holds the Lease', async () => {
    const { h, a } = await led();
    h.suspend(9999);
    a.elector.assertLeading();
    h.suspend(1);
    expect(() => a.elector.assertLeading()).toThrow('this replica does not lead');
    await h.clock.advance(2000);
    a.elector.assertLeading();
    expect(a.state).toEqual({ leads: true, lost: 0 });
  });

  test('a holder whose machine was suspended while another replica took the Lease never writes again', async () => {
    const { h, a } = await led();
    h.suspend(60_000);
    await h.server.mergePatch(leases, key, { spec: { holderIdentity: 'b' } });
    expect(() => a.elector.assertLeading()).toThrow('this replica does not lead');
    await h.clock.advance(2000);
    expect(a.state).toEqual({ leads: false, lost: 1 });
    expect(() => a.elector.assertLeading()).toThrow('this replica does not lead');
    await a.elector.release(new AbortController().signal);
    expect(h.stored()?.holderIdentity).toBe('b');
  });

  test('a renewal that was sent before the machine was suspended does not count after it', async () => {
    const { h, a } = await led();
    let slow = true;
    a.cut(async () => {
      if (slow) await new Promise<void>((resolve) => h.clock.after(1000, resolve));
    });
    await h.clock.advance(2500);
    slow = false;
    h.suspend(10_000);
    await h.clock.advance(500);
    expect(() => a.elector.assertLeading()).toThrow('this replica does not lead');
    await h.clock.advance(2000);
    a.elector.assertLeading();
  });

  test('a wall clock that is set back does not prolong the Lease', async () => {
    const { h, a } = await led();
    a.cut(refuse);
    h.suspend(-3_600_000);
    await h.clock.advance(9999);
    a.elector.assertLeading();
    await h.clock.advance(1);
    expect(() => a.elector.assertLeading()).toThrow('this replica does not lead');
  });

  test('who has not led yet, and who has released, may not write', async () => {
    const { h, a } = await led();
    const b = h.replica('b');
    await h.clock.advance(0);
    expect(() => b.elector.assertLeading()).toThrow('this replica does not lead');
    b.stop.abort(new Error('stop'));
    await a.elector.release(new AbortController().signal);
    expect(() => a.elector.assertLeading()).toThrow('this replica does not lead');
    expect(a.state.lost).toBe(0);
  });

  test('a short outage of the API server costs nothing', async () => {
    const { h, a } = await led();
    a.cut(refuse);
    await h.clock.advance(7000);
    a.cut(() => undefined);
    await h.clock.advance(60_000);
    expect(a.state).toEqual({ leads: true, lost: 0 });
  });

  test('a renewal counts from when it was sent, not from when its answer came', async () => {
    const { h, a } = await led();
    let slow = true;
    a.cut(async () => {
      if (slow) await new Promise<void>((resolve) => h.clock.after(4000, resolve));
    });
    await h.clock.advance(6000);
    slow = false;
    a.cut(() => new Promise(() => undefined));
    await h.clock.advance(5999);
    expect(a.state.leads).toBe(true);
    await h.clock.advance(1);
    expect(a.state.leads).toBe(false);
  });

  test.each([
    ['that started in the last minute, as in an upgrade, within a quarter of a second', 59_000, 250],
    ['that waits for longer within two seconds', 62_000, 2000],
  ])('a released Lease is taken by a process %s', async (_, waits, takenWithin) => {
    const { h, a } = await led();
    const b = h.replica('b');
    await h.clock.advance(waits);
    a.stop.abort();
    await a.elector.release(new AbortController().signal);
    expect([h.stored()?.holderIdentity, a.status()]).toEqual(['', 0]);
    await h.clock.advance(takenWithin - 1);
    expect(b.state.leads).toBe(false);
    await h.clock.advance(1);
    expect(b.state.leads).toBe(true);
    expect(a.state.lost).toBe(0);
  });

  test('a release that is refused is repeated, so that an upgrade which moves rights does not cost the duration', async () => {
    const { h, a } = await led();
    const b = h.replica('b');
    a.cut(() => {
      throw apiError(403, 'Forbidden');
    });
    const released = a.elector.release(new AbortController().signal);
    await h.clock.advance(1300);
    expect(h.stored()?.holderIdentity).toBe('a');
    a.cut(() => undefined);
    await h.clock.advance(2700);
    await released;
    expect(b.state.leads).toBe(true);
  });

  test('a release that is still refused at the end of the time says why', async () => {
    const { h, a } = await led();
    a.cut(refuse);
    const end = new AbortController();
    const released = a.elector.release(end.signal);
    released.catch(() => undefined);
    await h.clock.advance(3000);
    end.abort();
    await expect(released).rejects.toThrow('ServiceUnavailable');
    expect(h.clock.pending()).toBe(0);
  });

  test('a release is not repeated once the Lease has ended by itself', async () => {
    const h = setup();
    const a = h.replica('a');
    await h.clock.advance(1500);
    a.cut(refuse);
    let isOver = false;
    a.elector.release(new AbortController().signal).catch(() => {
      isOver = true;
    });
    await h.clock.advance(13_499);
    expect(isOver).toBe(false);
    await h.clock.advance(1);
    expect(isOver).toBe(true);
  });

  test('a process that lost its Lease releases nothing', async () => {
    const { h, a } = await led();
    a.cut(refuse);
    await h.clock.advance(10_000);
    a.cut(() => undefined);
    await a.elector.release(new AbortController().signal);
    expect(h.stored()?.holderIdentity).toBe('a');
  });

  test('one that never led releases nothing and leaves no timer', async () => {
    const h = setup();
    h.replica('a');
    await h.clock.advance(0);
    const b = h.replica('b');
    await h.clock.advance(0);
    b.stop.abort(new Error('stop'));
    await b.elector.release(new AbortController().signal);
    expect(h.stored()?.holderIdentity).toBe('a');
  });

  test('a Lease that another client overwrites is lost at once', async () => {
    const { h, a } = await led();
    await h.server.mergePatch(leases, key, { spec: { holderIdentity: 'intruder' } });
    await h.clock.advance(2000);
    expect(a.state).toEqual({ leads: false, lost: 1 });
  });

  test('a Lease that was touched but is still ours is kept', async () => {
    const { h, a } = await led();
    await h.server.mergePatch(leases, key, { metadata: { labels: { touched: 'yes' } } });
    await h.clock.advance(30_000);
    expect(a.state).toEqual({ leads: true, lost: 0 });
  });

  test('a Lease that is deleted is created again, unless another replica was faster', async () => {
    const { h, a } = await led();
    await h.server.delete(leases, key);
    await h.clock.advance(4000);
    expect([a.state, h.stored()?.holderIdentity]).toEqual([{ leads: true, lost: 0 }, 'a']);
    await h.server.delete(leases, key);
    const b = h.replica('b');
    await h.clock.advance(2000);
    expect([a.state, b.state.leads]).toEqual([{ leads: false, lost: 1 }, true]);
  });

  test("another one's clock does not matter", async () => {
    const h = setup();
    h.server.seed(leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...key },
      spec: { holderIdentity: 'late', leaseDurationSeconds: 15, renewTime: '2031-01-01T00:00:00.000000Z' },
    });
    const a = h.replica('a');
    await h.clock.advance(14_000);
    expect(a.state.leads).toBe(false);
    await h.clock.advance(2000);
    expect(a.state.leads).toBe(true);
  });

  test('one that must not read Leases yet goes on asking', async () => {
    const h = setup();
    const remove = h.server.onRequest(() => {
      throw apiError(403, 'Forbidden');
    });
    const a = h.replica('a');
    await h.clock.advance(60_000);
    expect(a.state.leads).toBe(false);
    remove();
    await h.clock.advance(2000);
    expect(a.state.leads).toBe(true);
  });
});
