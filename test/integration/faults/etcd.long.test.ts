/** The etcd of the management cluster is paused: its API server is up, and no request succeeds. A control plane of this file's own. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { installBtpKinds } from '../../environment/btp-kinds.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds, packageCrds } from '../../environment/install-crds.ts';
import { type FaultEnvironment, startFaultEnvironment } from './fault-environment.ts';
import { leaseSharing } from './replicas.ts';

const timeoutMs = 90_000;

let management: ControlPlane;
let environment: FaultEnvironment;
beforeAll(async () => {
  management = await startControlPlane({ name: 'paused-etcd' });
  await Promise.all([installCrds(management, await packageCrds()), installBtpKinds(management)]);
  environment = await startFaultEnvironment({ management });
}, 120_000);
afterAll(async () => {
  await environment?.stop();
  await management?.stop();
}, 120_000);

test('a pause of etcd ends a leader, which changes nothing more; a provider without a Lease goes on after it, and nothing is created twice', async () => {
  const { simulator } = environment;
  const replicas = leaseSharing(environment);
  // The leader has resources of its own, and so has the other one.
  const [leader, provider] = await Promise.all([
    replicas.start([`--watch-label-selector=${environment.selector},of=leader`]),
    environment.run({ args: [`--watch-label-selector=${environment.selector},of=other`] }),
  ]);
  const [led, before, during] = await Promise.all([
    environment.fleet(5),
    environment.fleet(5),
    environment.fleet(5),
  ]);
  for (const fleet of [led, before, during]) await fleet.applyClusterIDs();
  await led.create({ labels: { of: 'leader' } });
  await before.create({ labels: { of: 'other' } });
  for (const fleet of [led, before]) await fleet.untilReady(timeoutMs);
  const { instanceID: instance } = led.shared;
  // Deletions in HANA Cloud are retried for as long as the leader leads.
  const refused = simulator.faults.add({ on: { instance, route: 'delete' }, do: { kind: 'unavailable' } });
  const slow = simulator.faults.add({
    on: { instance: during.shared.instanceID, route: 'create' },
    do: { kind: 'delay', ms: 2000 },
  });
  await led.delete();
  await during.create({ labels: { of: 'other' } });
  await eventually(() => {
    expect(refused.hits()).toBeGreaterThan(0);
    expect(slow.hits()).toBeGreaterThan(0);
  });
  const resume = await management.freeze('etcd');
  try {
    expect(await leader.gone).toBe('it ended with 1');
    expect(leader.output()).toContain('cannot go on: another replica may lead by now');
    refused.remove();
    slow.remove();
    expect((await provider.get('/healthz')).status).toBe(200);
    expect(led.mappings()).toEqual(led.wanted());
  } finally {
    resume();
  }
  for (const fleet of [before, during]) {
    await fleet.untilReady(timeoutMs);
    expect(fleet.mappings()).toEqual(fleet.wanted());
  }
  const { renewTime } = (await replicas.lease()).spec;
  const attempts = simulator.requests({ instance, route: 'delete' }).map(({ at }) => at);
  // The leader may write for 10 s after its last renewal.
  expect(Math.max(...attempts)).toBeLessThan(Date.parse(renewTime) + 10_000);
  await replicas.start([`--watch-label-selector=${environment.selector},of=leader`]);
  await led.untilGone(timeoutMs);
  expect(led.mappings()).toEqual([]);
  expect(simulator.requests({ route: 'create', status: 409 })).toEqual([]);
  expect(provider.isRunning()).toBe(true);
}, 240_000);
