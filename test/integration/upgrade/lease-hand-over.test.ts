/**
 * Two revisions overlap, each a process, and the old one keeps its permissions, as with a service account of a fixed
 * name (examples/provider/runtime-config.yaml). Asserted on every stored version of their Lease.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { nopLogger } from '../../../internal/base/telemetry/logger.ts';
import { systemClock } from '../../../internal/base/time/clock.ts';
import { createInformer } from '../../../internal/kube/cache/informer.ts';
import { createKubeClient } from '../../../internal/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/kube/config/untrusted-kubeconfig.ts';
import { leases } from '../../../internal/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { type FaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import { type HeldLease, heldLease, leaseSharing } from '../faults/replicas.ts';

const SIZE = 10;
const patienceMs = 120_000;

let environment: FaultEnvironment;
/** Every version of every Lease, in the order in which they were stored. */
const stored: HeldLease[] = [];
const ends: (() => unknown)[] = [];
beforeAll(async () => {
  environment = await startFaultEnvironment();
  const config = parseUntrustedKubeconfig(environment.planes.management.kubeconfig);
  const client = createKubeClient({ config, clock: systemClock });
  const cache = createInformer({ client, type: leases, clock: systemClock, log: nopLogger });
  ends.push(cache.start(), () => client.close());
  cache.subscribe(({ object }) => stored.push(heldLease(object)));
  await eventually(() => expect(cache.hasSynced()).toBe(true));
});
afterEach(() => environment.killProviders());
afterAll(async () => {
  for (const end of ends) await end();
  await environment.stop();
});

/** Two processes in the middle of creations; the older leads. */
async function overlap() {
  const { start, lease } = leaseSharing(environment);
  const old = await start();
  await old.untilLogged('leading');
  const next = await start();
  const fleet = await environment.fleet(SIZE);
  await fleet.applyClusterIDs();
  environment.simulator.settings.latencyMs = 200;
  await fleet.create();
  await eventually(() => expect(fleet.mappings().length).toBeGreaterThan(1), { intervalMs: 5 });
  const { name } = (await lease()).metadata;
  const versions = () => stored.filter(({ metadata }) => metadata.name === name);
  return {
    old,
    next,
    /** The new revision leads and completes what the old one began, and no request was repeated. */
    finished: async () => {
      await next.untilLogged('leading', patienceMs);
      await fleet.untilReady(patienceMs);
      expect(fleet.mappings()).toEqual(fleet.wanted());
      const instance = fleet.shared.instanceID;
      expect(environment.simulator.requests({ route: 'create', instance, status: 409 })).toEqual([]);
      await eventually(() => expect(versions().at(-1)?.spec.holderIdentity).toBe(next.identity));
    },
    /** The holders of the Lease in order; `''`: none, because it was released. */
    holders: () =>
      versions()
        .map(({ spec }) => spec.holderIdentity)
        .filter((holder, index, all) => holder !== all[index - 1]),
    versions,
  };
}

test('an old revision that ends by SIGTERM releases its Lease, and the new one acquires a Lease without a holder', async () => {
  const { old, next, finished, holders } = await overlap();

  old.signal('SIGTERM');
  expect(await old.gone).toBe('it ended with 0');
  await finished();

  expect(old.logged('leadership released')).toHaveLength(1);
  expect(holders()).toEqual([old.identity, '', next.identity]);
}, 300_000);

test('an old revision that is killed does not release its Lease, and the new one waits until it has expired', async () => {
  const { old, next, finished, holders, versions } = await overlap();

  await old.kill();
  await finished();

  expect(holders()).toEqual([old.identity, next.identity]);
  const last = versions().findLast(({ spec }) => spec.holderIdentity === old.identity)?.spec;
  const first = versions().find(({ spec }) => spec.holderIdentity === next.identity)?.spec;
  const waitedMs = Date.parse(first?.acquireTime ?? '') - Date.parse(last?.renewTime ?? '');
  expect(waitedMs).toBeGreaterThanOrEqual((last?.leaseDurationSeconds ?? 0) * 1000);
}, 300_000);
