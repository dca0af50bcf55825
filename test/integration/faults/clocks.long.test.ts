/** Wall clocks that are wrong or jump, and an event loop that stalls: processes that share a Lease, and their work. */
import { expect, test } from '@jest/globals';
import { sleep, systemClock } from '../../../internal/framework/base/time/clock.ts';
import { eventually } from '../../environment/eventually.ts';
import { createProcessClock, type ProcessClock } from '../harness/provider/process-clock.ts';
import { changesByMapping, overlaps } from './changes.ts';
import { type FaultEnvironment, inFaultEnvironment } from './fault-environment.ts';
import { leaseSharing } from './replicas.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/** Longer than a Lease lasts without a renewal. */
const LEASE_MS = 15_000;
const timeoutMs = 90_000;

function clockOf(environment: FaultEnvironment, offsetMs = 0): ProcessClock {
  const clock = createProcessClock(offsetMs);
  environment.onStop(clock.close);
  return clock;
}

test.concurrent.each([
  { title: 'the leader is hours ahead', leaderMs: 6 * HOUR_MS, otherMs: -6 * HOUR_MS },
  { title: 'the leader is hours behind', leaderMs: -6 * HOUR_MS, otherMs: 6 * HOUR_MS },
])(
  'of two replicas whose clocks differ one leads, and the other after its end: $title',
  ({ leaderMs, otherMs }) =>
    inFaultEnvironment(async (environment) => {
      const { start, lease } = leaseSharing(environment);
      const leader = await start([], { env: clockOf(environment, leaderMs).env });
      await leader.untilLogged('leading');
      const other = await start([], { env: clockOf(environment, otherMs).env });
      const fleet = await environment.fleet(5);
      await fleet.applyClusterIDs();
      await fleet.create();
      await fleet.untilReady(timeoutMs);
      const { renewTime } = (await lease()).spec;
      // The clock of the process is wrong indeed.
      expect(Math.abs(Date.parse(renewTime) - Date.now() - leaderMs)).toBeLessThan(HOUR_MS);
      await sleep(systemClock, LEASE_MS + 5000);
      expect(other.logged('leading')).toEqual([]);
      expect((await lease()).spec.holderIdentity).toBe(leader.identity);

      await leader.kill();
      await fleet.patch({ spec: { forProvider: { isDefault: true } } });
      const killedAt = performance.now();
      await other.untilLogged('leading', timeoutMs);
      // Its last renewal was up to one period earlier.
      expect(performance.now() - killedAt).toBeGreaterThan(LEASE_MS - 5000);
      await fleet.untilReady(timeoutMs);
      expect(fleet.mappings()).toEqual(fleet.wanted({ isDefault: true }));
      const { requests } = environment.simulator;
      expect(overlaps(changesByMapping(requests()))).toEqual([]);
      expect(requests({ route: 'create', status: 409 })).toEqual([]);
    })(),
);

test.concurrent(
  'a leader whose clock jumps by years in both directions goes on leading, polling and reporting, with the same token',
  inFaultEnvironment(async (environment) => {
    const { start, lease } = leaseSharing(environment);
    const clock = clockOf(environment);
    const leader = await start(['--poll=1s'], { env: clock.env });
    const scenario = await environment.scenario();
    await scenario.createReady();
    for (const offsetMs of [10 * YEAR_MS, -10 * YEAR_MS, 0]) {
      clock.jump(leader, offsetMs);
      const drifted = scenario.hana.mark();
      scenario.hana.removeMapping();
      await eventually(() => expect(scenario.mappings()).toEqual([scenario.hana.mapping()]), {
        timeoutMs,
      });
      expect(scenario.hana.writes(drifted)).toEqual(['create']);
      await eventually(async () => {
        const { renewTime } = (await lease()).spec;
        expect(Math.abs(Date.parse(renewTime) - Date.now() - offsetMs)).toBeLessThan(HOUR_MS);
      });
      const next = await environment.scenario();
      await next.createReady();
      expect(await next.events()).toMatchObject([{ reason: 'CreatedExternalResource' }]);
      expect((await leader.get('/readyz')).status).toBe(200);
    }
    expect(scenario.hana.tokenRequests()).toHaveLength(1);
    expect(leader.isRunning()).toBe(true);
    expect((await lease()).spec.holderIdentity).toBe(leader.identity);
  }),
  180_000,
);

test.concurrent(
  'a leader whose event loop stalls for a short time goes on; one that stalls until another leads sends nothing more, and exits with 1',
  inFaultEnvironment(async (environment) => {
    const { simulator } = environment;
    const { start, lease } = leaseSharing(environment);
    const clock = clockOf(environment);
    const stalled = await start([], { env: clock.env });
    await stalled.untilLogged('leading');
    const other = await start();
    const fleets = [await environment.fleet(5), await environment.fleet(10), await environment.fleet(10)];
    for (const fleet of fleets) await fleet.applyClusterIDs();
    const [first, coming, going] = fleets;
    clock.stall(stalled, 4000);
    await first?.create();
    await going?.create();
    await first?.untilReady(timeoutMs);
    await going?.untilReady(timeoutMs);
    expect((await lease()).spec.holderIdentity).toBe(stalled.identity);

    // It stalls while it waits for the lists after which it would create and delete.
    const slow = simulator.faults.add({ on: { route: 'list' }, do: { kind: 'delay', ms: 3000 } });
    await Promise.all([coming?.create(), going?.delete()]);
    await eventually(() => expect(slow.hits()).toBeGreaterThan(1));
    clock.stall(stalled, 2 * LEASE_MS);
    await other.untilLogged('leading', timeoutMs);
    slow.remove();
    const acquired = simulator.requests().at(-1)?.id ?? 0;
    expect(await stalled.gone).toBe('it ended with 1');
    await coming?.untilReady(timeoutMs);
    await going?.untilGone(timeoutMs);
    expect([coming?.mappings(), going?.mappings()]).toEqual([coming?.wanted(), []]);
    const token = tokenOf(simulator.requests({ route: 'create', instance: first?.shared.instanceID ?? '' }));
    const late = simulator.requests({ after: acquired }).filter((request) => request.token === token);
    expect(late.filter(({ route }) => route === 'create' || route === 'delete')).toEqual([]);
    expect(overlaps(changesByMapping(simulator.requests()))).toEqual([]);
    expect((await lease()).spec.holderIdentity).toBe(other.identity);
  }),
  180_000,
);

const tokenOf = ([request]: readonly { readonly token?: number }[]) => request?.token;
