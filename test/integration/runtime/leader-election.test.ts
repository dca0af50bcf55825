import '../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { nopLogger, nopMetrics } from '../../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { createKubeClient, type RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import { createLeaderElector } from '../../../internal/framework/kube/leader-election.ts';
import { leases } from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';

let client: RestClient;
let objects: Objects;
const lease = { namespace: 'default', name: uniqueName('leader') };

beforeAll(async () => {
  const { management } = await controlPlanes();
  objects = objectsOf(management);
  client = createKubeClient({ config: parseUntrustedKubeconfig(management.kubeconfig), clock: systemClock });
});
afterAll(() => client.close());

function replica(identity: string) {
  const stop = new AbortController();
  const state = { leads: false, lost: false };
  const elector = createLeaderElector({
    client,
    lease,
    identity,
    clock: systemClock,
    random: Math.random,
    log: nopLogger,
    metrics: nopMetrics,
    retryPeriodMs: 200,
  });
  elector.onLost(() => {
    state.lost = true;
  });
  const waiting = elector.acquire(stop.signal).then(
    () => {
      state.leads = true;
    },
    () => undefined,
  );
  return { state, elector, stop: () => stop.abort(), waiting };
}

test('a real API server accepts our Lease, renewals included, and a release lets the next one lead', async () => {
  const [first, second] = [replica('first'), replica('second')];
  await eventually(() => expect(first.state.leads || second.state.leads).toBe(true));
  const [leader, follower] = first.state.leads ? [first, second] : [second, first];
  const stored = () => objects.get(leases, lease);
  const before = (await stored()).spec?.renewTime;
  expect(before).toMatch(/\.\d{6}Z$/);
  await eventually(async () => expect((await stored()).spec?.renewTime).not.toBe(before));
  expect(follower.state.leads).toBe(false);

  await leader.elector.release(new AbortController().signal);
  await eventually(() => expect(follower.state.leads).toBe(true));
  expect((await stored()).spec?.leaseTransitions).toBe(1);
  expect([leader.state.lost, follower.state.lost]).toEqual([false, false]);
  await follower.elector.release(new AbortController().signal);
  await objects.delete(leases, lease);
});
