/**
 * Two replicas as processes, one Lease: which one leads, when the other acquires the Lease, and what the old leader
 * still does.
 */
import { describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import type { RequestRecord } from '../../simulators/hana-cloud/journal.ts';
import { type FaultEnvironment, inFaultEnvironment } from './fault-environment.ts';
import { leaseSharing, type Replica } from './replicas.ts';

/** Not counted as writes: Leases, and access reviews, which are sent as creates. */
const NO_CHANGE: readonly (string | undefined)[] = ['leases', 'selfsubjectaccessreviews'];

/** What a user changed on the management cluster: `update kymainstancemappings`. */
async function changesBy({ planes }: FaultEnvironment, { user }: Replica): Promise<string[]> {
  const all = await planes.management.auditEvents(user);
  return all
    .filter((event) => event.user.username === user && !['get', 'list', 'watch'].includes(event.verb))
    .filter(({ objectRef }) => !NO_CHANGE.includes(objectRef?.resource))
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`);
}

const isWrite = ({ route }: RequestRecord) => route === 'create' || route === 'delete';

const isAnswered = ({ outcome }: RequestRecord) => outcome === 'answered';

const seconds = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000;

/** Each process requests a token of its own before it can change anything in HANA Cloud. */
const processesSeen = ({ simulator }: FaultEnvironment) =>
  simulator.requests({ route: 'token', status: 200 }).length;

describe('of two replicas', () => {
  test.concurrent(
    'one leads, and after its SIGTERM, not after that of the standby, the other leads immediately',
    inFaultEnvironment(async (environment) => {
      const { start, lease } = leaseSharing(environment);
      const [first, second] = [await start(), await start()];
      await first.untilLogged('controller started');
      await second.untilLogged('waiting for leadership');
      const before = await environment.fleet(10);
      const { instanceID } = before.shared;
      await before.applyClusterIDs();
      await before.create();
      await before.untilReady(60_000);
      expect((await lease()).spec.holderIdentity).toBe(first.identity);
      expect(processesSeen(environment)).toBe(1);
      expect((await changesBy(environment, first)).length).toBeGreaterThan(0);
      expect(await changesBy(environment, second)).toEqual([]);
      expect((await second.get('/readyz')).status).toBe(200);

      const third = await start();
      third.signal('SIGTERM');
      expect(await third.gone).toBe('it ended with 0');
      expect((await lease()).spec.holderIdentity).toBe(first.identity);

      first.signal('SIGTERM');
      expect(await first.gone).toBe('it ended with 0');
      await second.untilLogged('leading', 60_000);
      const [released] = first.logged('leadership released');
      // A Lease that is not released would be acquired after 15 s; the next attempt is after 2 s.
      expect(seconds(String(released?.time), (await lease()).spec.acquireTime)).toBeLessThan(15);
      await before.patch({ spec: { forProvider: { isDefault: true } } });
      await before.untilReady(60_000);
      expect(before.mappings()).toEqual(before.wanted({ isDefault: true }));
      expect(environment.simulator.requests({ route: 'create', instance: instanceID, status: 409 })).toEqual(
        [],
      );
      expect(processesSeen(environment)).toBe(2);
    }),
    120_000,
  );

  test.concurrent(
    'the other acquires the Lease of a killed leader after it expires, and completes what it began',
    inFaultEnvironment(async (environment) => {
      const { start, lease } = leaseSharing(environment);
      const leader = await start();
      await leader.untilLogged('leading');
      const follower = await start();
      const fleet = await environment.fleet(20);
      await fleet.applyClusterIDs();
      const { instanceID } = fleet.shared;
      const lost = environment.simulator.faults.add({
        on: { instance: instanceID, route: 'create', skip: 5, first: 5 },
        do: { kind: 'hang', when: 'after' },
      });
      await fleet.create();
      await eventually(() => expect(lost.hits()).toBe(5));
      await leader.kill();
      const { spec: last } = await lease();
      expect(last.holderIdentity).toBe(leader.identity);

      await follower.untilLogged('leading', 60_000);
      const { spec } = await lease();
      expect(spec.holderIdentity).toBe(follower.identity);
      const silence = seconds(last.renewTime, spec.acquireTime);
      expect(silence).toBeGreaterThanOrEqual(15);
      await fleet.untilReady(60_000);
      expect(fleet.mappings()).toEqual(fleet.wanted());
      expect(environment.simulator.requests({ route: 'create', instance: instanceID, status: 409 })).toEqual(
        [],
      );
    }),
    120_000,
  );

  test.concurrent(
    'a leader that was frozen until another leads writes nothing more, and exits with 1',
    inFaultEnvironment(async (environment) => {
      const { start, lease } = leaseSharing(environment);
      const frozen = await start();
      await frozen.untilLogged('leading');
      const follower = await start();
      const [coming, going] = [await environment.fleet(20), await environment.fleet(20)];
      for (const fleet of [coming, going]) await fleet.applyClusterIDs();
      await going.create();
      await going.untilReady(60_000);
      // Frozen while it waits for the lists after which it would create and delete; they are completed while it is
      // frozen.
      const on = { route: 'list' } as const;
      const slow = environment.simulator.faults.add({ on, do: { kind: 'delay', ms: 8000 } });
      const before = environment.simulator.requests().length;
      const meanwhile = () => environment.simulator.requests().slice(before);
      await Promise.all([coming.create(), going.delete()]);
      await eventually(() => expect(slow.hits()).toBeGreaterThan(1));
      frozen.signal('SIGSTOP');
      await eventually(() => expect(meanwhile().filter(isAnswered)).not.toEqual([]));
      slow.remove();
      expect(meanwhile().filter(isWrite)).toEqual([]);

      await follower.untilLogged('leading', 60_000);
      await coming.untilReady(60_000);
      await going.untilGone(60_000);
      expect([coming.mappings(), going.mappings()]).toEqual([coming.wanted(), []]);
      // A third party created them again; to the old leader they look like those it was deleting.
      for (const mapping of going.wanted())
        environment.simulator.store.addMapping(going.shared.instanceID, mapping);
      const since = environment.simulator.requests().at(-1)?.id ?? 0;
      frozen.signal('SIGCONT');
      expect(await frozen.gone).toBe('it ended with 1');
      expect(frozen.output()).toContain('cannot go on: another replica may lead by now');
      const late = environment.simulator.requests({ after: since });
      expect(late.filter(isWrite)).toEqual([]);
      expect(going.mappings()).toEqual(going.wanted());
      expect((await lease()).spec.holderIdentity).toBe(follower.identity);
      expect(follower.isRunning()).toBe(true);
    }),
    120_000,
  );
});
