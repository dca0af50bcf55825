/**
 * An upgrade as Crossplane does it: the new revision's pod starts while the old one works, the old service account
 * loses all permissions, and only then its pod is deleted.
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { providerConfigUsages } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigusage.gen.ts';
import type { AuditEvent } from '../../../hack/control-planes/access/access.ts';
import { eventually } from '../../environment/eventually.ts';
import { type FaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import { leaseSharing, type Replica } from '../faults/replicas.ts';

const SIZE = 30;
const patienceMs = 120_000;

let environment: FaultEnvironment;
beforeAll(async () => {
  environment = await startFaultEnvironment();
});
afterEach(() => environment.killProviders());
afterAll(async () => {
  expect(environment.simulator.violations()).toEqual([]);
  await environment.stop();
});

/** What the API server let a pod change, Leases and questions after its rights aside. */
async function changesBy({ user }: Replica): Promise<AuditEvent[]> {
  const all = await environment.planes.management.auditEvents(user);
  return all.filter(
    ({ user: { username }, verb, objectRef, responseStatus }) =>
      username === user &&
      !['get', 'list', 'watch'].includes(verb) &&
      !['leases', 'selfsubjectaccessreviews'].includes(objectRef?.resource ?? '') &&
      (responseStatus?.code ?? 0) < 300,
  );
}

const times = (events: readonly AuditEvent[]) =>
  events.map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp));

test('while two revisions overlap exactly one writes, nothing is written twice, and the old one exits cleanly', async () => {
  const { simulator } = environment;
  const { start, lease } = leaseSharing(environment);
  const old = await start();
  await old.untilLogged('leading');
  const fleet = await environment.fleet(SIZE);
  const instance = fleet.shared.instanceID;
  await fleet.applyClusterIDs();
  // The old account loses its permissions while creations are in progress.
  simulator.settings.latencyMs = 200;
  await fleet.create();
  await eventually(() => expect(fleet.mappings().length).toBeGreaterThan(3), { intervalMs: 5 });

  const next = await start();
  await next.untilLogged('waiting for leadership');
  await old.revoke();
  old.signal('SIGTERM');
  expect(await old.gone).toBe('it ended with 0');
  // It could not give its Lease back, for want of rights.
  expect((await lease()).spec.holderIdentity).toBe(old.identity);

  await next.untilLogged('leading', patienceMs);
  await fleet.untilReady(patienceMs);
  expect(fleet.mappings()).toEqual(fleet.wanted());
  const creations = simulator.requests({ instance, route: 'create' });
  expect(creations.filter(({ status }) => status === 201)).toHaveLength(SIZE);
  expect(creations.filter(({ status }) => status === 409)).toEqual([]);
  expect(simulator.requests({ instance, route: 'delete' })).toEqual([]);

  const [before, after] = [await changesBy(old), await changesBy(next)];
  expect(Math.max(...times(before))).toBeLessThan(Math.min(...times(after)));
  expect(Math.min(...times(after))).toBeGreaterThanOrEqual(Date.parse((await lease()).spec.acquireTime));
}, 300_000);

test('a revision that finds settled resources writes only its Lease', async () => {
  const { simulator } = environment;
  simulator.settings.latencyMs = 0;
  const { start } = leaseSharing(environment);
  const old = await start();
  const fleet = await environment.fleet(5);
  await fleet.applyClusterIDs();
  await fleet.create();
  await fleet.untilReady(patienceMs);
  const stored = await versions(fleet);
  const uids = (await fleet.list()).map(({ metadata }) => metadata.uid);
  const since = simulator.requests().at(-1)?.id ?? 0;

  const next = await start();
  await old.revoke();
  old.signal('SIGTERM');
  expect(await old.gone).toBe('it ended with 0');
  await next.untilLogged('leading', patienceMs);
  const about = { instance: fleet.shared.instanceID, after: since };
  await eventually(() => expect(simulator.requests(about)).not.toEqual([]), { timeoutMs: patienceMs });
  next.signal('SIGTERM');
  expect(await next.gone).toBe('it ended with 0');

  expect(simulator.requests(about).filter(({ route }) => route !== 'list')).toEqual([]);
  // Usages of resources that are gone, here those of other tests, are removed by the first provider that sees them.
  const isOthersUse = ({ objectRef }: AuditEvent) =>
    objectRef?.resource === providerConfigUsages.plural && !uids.includes(objectRef.name);
  expect((await changesBy(next)).filter((event) => !isOthersUse(event))).toEqual([]);
  expect(await versions(fleet)).toEqual(stored);
}, 300_000);

async function versions(fleet: Awaited<ReturnType<FaultEnvironment['fleet']>>): Promise<unknown[]> {
  return (await fleet.list()).map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]);
}
