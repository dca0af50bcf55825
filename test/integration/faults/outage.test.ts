/** The management cluster's API server stops and comes back: a control plane of this file's own. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { sleep, systemClock } from '../../../internal/base/time/clock.ts';
import { installBtpKinds } from '../../environment/btp-kinds.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds, packageCrds } from '../../environment/install-crds.ts';
import { type FaultEnvironment, startFaultEnvironment } from './fault-environment.ts';
import { leaseSharing } from './replicas.ts';

const OUTAGE_MS = 20_000;

let management: ControlPlane;
let environment: FaultEnvironment;
beforeAll(async () => {
  management = await startControlPlane({ name: 'outage' });
  await Promise.all([installCrds(management, await packageCrds()), installBtpKinds(management)]);
  environment = await startFaultEnvironment({ management });
});
afterAll(async () => {
  await environment?.stop();
  await management?.stop();
});

test('a provider without a Lease survives the outage, goes on, and reports its state correctly meanwhile', async () => {
  const provider = await environment.run();
  const [before, during, after] = [
    await environment.fleet(10),
    await environment.fleet(10),
    await environment.fleet(10),
  ];
  for (const fleet of [before, during, after]) await fleet.applyClusterIDs();
  await before.create();
  await before.untilReady();
  const health = async () => (await provider.get('/healthz')).status;
  const readiness = async () => (await provider.get('/readyz')).status;
  expect([await health(), await readiness()]).toEqual([200, 200]);
  // During creation: some exist in HANA Cloud when the results can no longer be recorded.
  const { instanceID: instance } = during.shared;
  const slow = environment.simulator.faults.add({
    on: { instance, route: 'create' },
    do: { kind: 'delay', ms: 2000 },
  });
  await during.create();
  await eventually(() => expect(slow.hits()).toBeGreaterThan(2));

  const idle = await leaseSharing(environment).start(['--watch-label-selector=of=nobody']);
  await idle.untilLogged('leading');

  await management.stopApiServer();
  const stoppedAt = performance.now();
  // Its Lease cannot be released; it exits all the same.
  idle.signal('SIGTERM');
  expect(await idle.gone).toBe('it ended with 0');
  await eventually(async () => expect(await readiness()).toBe(500), { timeoutMs: OUTAGE_MS });
  expect((await provider.get('/readyz')).body).toMatch(
    /its caches have been out of date for \d+ s: .*ECONNREFUSED/,
  );
  expect(await health()).toBe(200);
  await sleep(systemClock, OUTAGE_MS - (performance.now() - stoppedAt));
  slow.remove();
  await management.startApiServer();

  await after.create();
  for (const fleet of [before, during, after]) {
    await fleet.untilReady(60_000);
    expect(fleet.mappings()).toEqual(fleet.wanted());
  }
  await eventually(async () => expect(await readiness()).toBe(200), { timeoutMs: 60_000 });
  expect(provider.isRunning()).toBe(true);
  expect(environment.simulator.requests({ route: 'create', status: 409 })).toEqual([]);
  expect(environment.simulator.requests({ route: 'delete' })).toEqual([]);
  await provider.kill();
}, 180_000);

test('a leader that cannot renew its Lease exits with 1, and changes nothing in HANA Cloud after its deadline', async () => {
  const replicas = leaseSharing(environment);
  const leader = await replicas.start();
  const fleet = await environment.fleet(10);
  const { instanceID: instance } = fleet.shared;
  await fleet.applyClusterIDs();
  await fleet.create();
  await fleet.untilReady(60_000);
  // Deletions need nothing of the management cluster, and are retried every few seconds while they fail.
  const refused = environment.simulator.faults.add({
    on: { instance, route: 'delete' },
    do: { kind: 'unavailable' },
  });
  await fleet.delete();
  await eventually(() => expect(refused.hits()).toBeGreaterThan(0));
  const renewed = async () => Date.parse((await replicas.lease()).spec.renewTime);
  const lastSeen = await renewed();
  await management.stopApiServer();
  expect(await leader.gone).toBe('it ended with 1');
  expect(leader.output()).toContain('provider-kyma: cannot go on: another replica may lead by now');
  await management.startApiServer();

  const attempts = environment.simulator.requests({ instance, route: 'delete' }).map(({ at }) => at);
  expect(Math.max(...attempts)).toBeGreaterThan(lastSeen);
  expect(Math.max(...attempts)).toBeLessThan((await renewed()) + 10_000);
  refused.remove();
  await replicas.start();
  await fleet.untilGone(60_000);
  expect(fleet.mappings()).toEqual([]);
}, 120_000);
