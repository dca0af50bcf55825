import { afterEach, describe, expect, test } from '@jest/globals';
import { createFakeMetrics } from '../../../framework/base/telemetry/fake-metrics.ts';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { formatMicroTime } from '../../../framework/base/time/formats.ts';
import { createInformers } from '../../../framework/kube/cache/informers.ts';
import { createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { leases } from '../../../framework/kube/object/resource-type.ts';
import { createOperatorLease } from './operator-lease.ts';

const name = 'aa689ecc.cloud.sap.com';
let stopAll: () => Promise<void> = async () => undefined;
afterEach(() => stopAll());

const newPlane = () => {
  const clock = createFakeClock();
  return { clock, client: createMemoryClient({ clock }) };
};

function setup({ clock, client } = newPlane()) {
  const common = { clock, client, random: () => 0.5, log: nopLogger, metrics: createFakeMetrics() };
  const informers = createInformers(common);
  const lease = createOperatorLease({ ...common, releaseNamespace: 'release', leases: informers.of(leases) });
  const states: boolean[] = [];
  const end = lease.condition.watch((holds) => states.push(holds));
  const stops = [new AbortController(), new AbortController()] as const;
  const abort = new AbortController().signal;
  const runs: Promise<void>[] = [];
  const stop = async () => {
    // The holder stops with the controllers, the release follows.
    for (const controller of [...stops].reverse()) {
      controller.abort();
      await clock.advance(0);
    }
    await Promise.all(runs);
    end();
  };
  stopAll = stop;
  /** Another operator creates or renews its Lease. */
  const renew = async (namespace: string, durationSeconds = 15) => {
    const spec = {
      holderIdentity: 'operator_1',
      leaseDurationSeconds: durationSeconds,
      renewTime: formatMicroTime(clock.now()),
    };
    const key = { namespace, name };
    const exists = client.peek(leases, key) !== undefined;
    if (exists) await client.mergePatch(leases, key, { spec });
    else client.seed(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: key, spec });
    await clock.advance(0);
  };
  return {
    clock,
    stop,
    renew,
    start: async () => {
      const [releaser, holder] = lease.runnables;
      for (const [index, runnable] of [releaser, holder].entries()) {
        const signal = stops[index]?.signal ?? abort;
        if (runnable !== undefined) runs.push(runnable.start(signal, abort));
      }
      await clock.advance(0);
    },
    fence: () => lease.condition.fence(),
    /** States since the last call. */
    states: () => states.splice(0),
    holder: () => client.peek(leases, { namespace: 'release', name })?.spec?.holderIdentity,
  };
}

test('the Lease is held at once if no other operator has one, and released at the end', async () => {
  const w = setup();
  expect(() => w.fence()).toThrow('does not hold the Lease');
  await w.start();
  expect(w.states()).toEqual([true]);
  expect(w.holder()).toBe('provider-kyma');
  expect(() => w.fence()).not.toThrow();
  await w.stop();
  expect(w.holder()).toBe('');
});

test('all shards hold the Lease at the same time, and one that stops interrupts no other', async () => {
  const plane = newPlane();
  const shards = [setup(plane), setup(plane), setup(plane)] as const;
  for (const shard of shards) {
    await shard.start();
    await plane.clock.advance(700);
  }
  await plane.clock.advance(120_000);
  expect(shards.map((shard) => shard.states())).toEqual([[true], [true], [true]]);
  const [first, ...others] = shards;
  await first.stop();
  await plane.clock.advance(60_000);
  expect(others.map((shard) => shard.states())).toEqual([[], []]);
  expect(first.holder()).toBe('provider-kyma');
  for (const shard of others) await shard.stop();
  stopAll = async () => undefined;
});

test('an operator in the release namespace is waited for', async () => {
  const w = setup();
  await w.renew('release');
  await w.start();
  await w.clock.advance(14_000);
  expect([w.states(), w.holder()]).toEqual([[], 'operator_1']);
  await w.clock.advance(5000);
  expect([w.states(), w.holder()]).toEqual([[true], 'provider-kyma']);
});

describe('an operator in another namespace', () => {
  test('is waited for until its Lease expires', async () => {
    const w = setup();
    await w.renew('elsewhere');
    await w.start();
    for (let round = 0; round < 5; round++) {
      await w.clock.advance(10_000);
      await w.renew('elsewhere');
    }
    expect([w.states(), w.holder()]).toEqual([[], undefined]);
    await w.clock.advance(16_000);
    expect([w.states(), w.holder()]).toEqual([[true], 'provider-kyma']);
  });

  test('that starts later ends the run, until its Lease expires', async () => {
    const w = setup();
    await w.start();
    expect(w.states()).toEqual([true]);
    await w.renew('elsewhere');
    expect(w.states()).toEqual([false]);
    expect(() => w.fence()).toThrow('does not hold the Lease');
    await w.clock.advance(14_000);
    await w.renew('elsewhere');
    await w.clock.advance(14_000);
    expect(w.states()).toEqual([]);
    await w.clock.advance(10_000);
    expect(w.states()).toEqual([true]);
  });

  test('does not stop this one for long with one renewal', async () => {
    const w = setup();
    await w.start();
    await w.renew('elsewhere', 1_000_000_000);
    await w.clock.advance(70_000);
    expect(w.states()).toEqual([true, false, true]);
  });
});
