/**
 * An upgrade as Crossplane does it: the new revision's pod starts while the old one works, the old service account
 * loses all permissions, and only then its pod is deleted. Or the old revision keeps its permissions, as with a service
 * account of a fixed name (examples/provider/runtime-config.yaml).
 */
import { expect, test } from '@jest/globals';
import { providerConfigUsages } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigs.gen.ts';
import type { AuditEvent } from '../../../hack/control-planes/access/access.ts';
import { eventually } from '../../environment/eventually.ts';
import { type FaultEnvironment, inFaultEnvironment } from '../faults/fault-environment.ts';
import { leaseSharing, type Replica } from '../faults/replicas.ts';

const timeoutMs = 120_000;
const wholeMs = 300_000;

type Fleet = Awaited<ReturnType<FaultEnvironment['fleet']>>;

/** Two processes in the middle of creations; the older leads. */
async function overlap(environment: FaultEnvironment, size: number) {
  const { start, lease } = leaseSharing(environment);
  const [old, fleet] = await Promise.all([start(), environment.fleet(size)]);
  await old.untilLogged('leading');
  const [next] = await Promise.all([start(), fleet.applyClusterIDs()]);
  environment.simulator.settings.latencyMs = 200;
  await fleet.create();
  await eventually(() => expect(fleet.mappings().length).toBeGreaterThan(1), { intervalMs: 5 });
  return { old, next, fleet, lease };
}

/** The new revision leads and completes what the old one began. */
async function untilCompleted(next: Replica, fleet: Fleet): Promise<void> {
  await next.untilLogged('leading', timeoutMs);
  await fleet.untilReady(timeoutMs);
  expect(fleet.mappings()).toEqual(fleet.wanted());
}

/** The changes that the API server accepted from a pod, except for Leases and access reviews. */
async function changesBy({ planes }: FaultEnvironment, { user }: Replica): Promise<AuditEvent[]> {
  const all = await planes.management.auditEvents(user);
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

async function versions(fleet: Fleet): Promise<unknown[]> {
  return (await fleet.list()).map(({ metadata: { name, resourceVersion } }) => [name, resourceVersion]);
}

test.concurrent(
  'an old revision that has lost its permissions writes nothing beside the new one, leaves nothing to be written twice, and exits cleanly',
  inFaultEnvironment(async (environment) => {
    const size = 30;
    const { simulator } = environment;
    const { old, next, fleet, lease } = await overlap(environment, size);
    const instance = fleet.shared.instanceID;
    expect(next.logged('leading')).toEqual([]);
    // Creations are in progress.
    await old.revoke();
    old.signal('SIGTERM');
    expect(await old.gone).toBe('it ended with 0');
    // It had no permission to release its Lease, and tried until that had expired.
    expect(old.logged('leadership released')).toEqual([]);

    await untilCompleted(next, fleet);
    const creations = simulator.requests({ instance, route: 'create' });
    expect(creations.filter(({ status }) => status === 201)).toHaveLength(size);
    expect(creations.filter(({ status }) => status === 409)).toEqual([]);
    expect(simulator.requests({ instance, route: 'delete' })).toEqual([]);

    const [before, after] = [await changesBy(environment, old), await changesBy(environment, next)];
    expect(Math.max(...times(before))).toBeLessThan(Math.min(...times(after)));
    expect(Math.min(...times(after))).toBeGreaterThanOrEqual(Date.parse((await lease()).spec.acquireTime));
    expect(simulator.violations()).toEqual([]);
  }),
  wholeMs,
);

test.concurrent(
  'a revision that finds settled resources writes only its Lease',
  inFaultEnvironment(async (environment) => {
    const { simulator } = environment;
    const { start } = leaseSharing(environment);
    const [old, fleet] = await Promise.all([start(), environment.fleet(5)]);
    await fleet.applyClusterIDs();
    await fleet.create();
    await fleet.untilReady(timeoutMs);
    const stored = await versions(fleet);
    const uids = (await fleet.list()).map(({ metadata }) => metadata.uid);
    const since = simulator.requests().at(-1)?.id ?? 0;

    const next = await start();
    await old.revoke();
    old.signal('SIGTERM');
    expect(await old.gone).toBe('it ended with 0');
    await next.untilLogged('leading', timeoutMs);
    const about = { instance: fleet.shared.instanceID, after: since };
    await eventually(() => expect(simulator.requests(about)).not.toEqual([]), { timeoutMs });
    next.signal('SIGTERM');
    expect(await next.gone).toBe('it ended with 0');

    expect(simulator.requests(about).filter(({ route }) => route !== 'list')).toEqual([]);
    // Usages of resources that are gone, here those of other tests, are removed by the first provider that sees them.
    const isOthersUse = ({ objectRef }: AuditEvent) =>
      objectRef?.resource === providerConfigUsages.plural && !uids.includes(objectRef.name);
    expect((await changesBy(environment, next)).filter((event) => !isOthersUse(event))).toEqual([]);
    expect(await versions(fleet)).toEqual(stored);
    expect(simulator.violations()).toEqual([]);
  }),
  wholeMs,
);
