/** The management cluster's API server stops and comes back: a control plane of this file's own. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { installBtpKinds } from '../../environment/btp-kinds.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds, packageCrds } from '../../environment/install-crds.ts';
import { type FaultEnvironment, startFaultEnvironment } from './fault-environment.ts';
import { leaseSharing } from './replicas.ts';

const TESTS = 2;
const timeoutMs = 60_000;

let management: ControlPlane;
/** Each test has its own, on the same control plane. */
const environments: FaultEnvironment[] = [];
beforeAll(async () => {
  management = await startControlPlane({ name: 'outage' });
  await Promise.all([installCrds(management, await packageCrds()), installBtpKinds(management)]);
  for (let n = 0; n < TESTS; n++) environments.push(await startFaultEnvironment({ management }));
}, 120_000);
afterAll(async () => {
  for (const environment of environments) await environment.stop();
  await management?.stop();
});

/** One outage for both tests. Each step waits until both tests are there. */
interface Outage {
  prepared(): Promise<void>;
  begin(): Promise<void>;
  end(): Promise<void>;
}

function shareOutage(tests: number) {
  const phase = (act: () => Promise<void>) => {
    const done = Promise.withResolvers<void>();
    done.promise.catch(() => undefined);
    let missing = tests;
    const reach = () => {
      missing--;
      if (missing === 0) act().then(done.resolve, done.reject);
      return done.promise;
    };
    return { reach, fail: done.reject };
  };
  const prepared = phase(async () => undefined);
  const begin = phase(() => management.stopApiServer());
  const end = phase(() => management.startApiServer());
  return {
    prepared: prepared.reach,
    begin: begin.reach,
    end: end.reach,
    /** A test has failed: the other one cannot wait for it. */
    fail: (error: unknown) => {
      for (const { fail } of [prepared, begin, end]) fail(error);
    },
  };
}

const outage = shareOutage(TESTS);

const withOutage =
  (index: number, body: (environment: FaultEnvironment, outage: Outage) => Promise<void>) => async () => {
    const environment = environments[index];
    if (environment === undefined) throw new Error('the environment did not start');
    try {
      await body(environment, outage);
    } catch (error) {
      outage.fail(error);
      throw error;
    }
  };

test.concurrent(
  'a provider without a Lease survives the outage, goes on, and reports its state correctly meanwhile',
  withOutage(0, async (environment, { prepared, begin, end }) => {
    const [provider, before, during, after] = await Promise.all([
      environment.run(),
      environment.fleet(10),
      environment.fleet(10),
      environment.fleet(10),
    ]);
    for (const fleet of [before, during, after]) await fleet.applyClusterIDs();
    await before.create();
    await before.untilReady();
    const health = async () => (await provider.get('/healthz')).status;
    const readiness = async () => (await provider.get('/readyz')).status;
    expect([await health(), await readiness()]).toEqual([200, 200]);
    const idle = await leaseSharing(environment).start(['--watch-label-selector=of=nobody']);
    await idle.untilLogged('leading');
    await prepared();
    // During creation: some exist in HANA Cloud when the results can no longer be recorded.
    const { instanceID: instance } = during.shared;
    const slow = environment.simulator.faults.add({
      on: { instance, route: 'create' },
      do: { kind: 'delay', ms: 2000 },
    });
    await during.create();
    await eventually(() => expect(slow.hits()).toBeGreaterThan(2));

    await begin();
    // Its Lease cannot be released; it exits all the same.
    idle.signal('SIGTERM');
    expect(await idle.gone).toBe('it ended with 0');
    await eventually(async () => expect(await readiness()).toBe(500));
    expect((await provider.get('/readyz')).body).toMatch(
      /its caches have been out of date for \d+ s: .*ECONNREFUSED/,
    );
    expect(await health()).toBe(200);
    slow.remove();
    await end();

    await after.create();
    for (const fleet of [before, during, after]) {
      await fleet.untilReady(timeoutMs);
      expect(fleet.mappings()).toEqual(fleet.wanted());
    }
    await eventually(async () => expect(await readiness()).toBe(200), { timeoutMs });
    expect(provider.isRunning()).toBe(true);
    expect(environment.simulator.requests({ route: 'create', status: 409 })).toEqual([]);
    expect(environment.simulator.requests({ route: 'delete' })).toEqual([]);
  }),
  240_000,
);

test.concurrent(
  'a leader that cannot renew its Lease exits with 1, and changes nothing in HANA Cloud after its deadline',
  withOutage(1, async (environment, { prepared, begin, end }) => {
    const replicas = leaseSharing(environment);
    const [leader, fleet] = await Promise.all([replicas.start(), environment.fleet(10)]);
    const { instanceID: instance } = fleet.shared;
    await fleet.applyClusterIDs();
    await fleet.create();
    await fleet.untilReady(timeoutMs);
    // Deletions need nothing of the management cluster, and are retried every few seconds while they fail.
    const refused = environment.simulator.faults.add({
      on: { instance, route: 'delete' },
      do: { kind: 'unavailable' },
    });
    await fleet.delete();
    await eventually(() => expect(refused.hits()).toBeGreaterThan(0));
    const renewed = async () => Date.parse((await replicas.lease()).spec.renewTime);
    const lastSeen = await renewed();
    await prepared();
    await begin();
    expect(await leader.gone).toBe('it ended with 1');
    expect(leader.output()).toContain('cannot go on: another replica may lead by now');
    await end();

    const attempts = environment.simulator.requests({ instance, route: 'delete' }).map(({ at }) => at);
    expect(Math.max(...attempts)).toBeGreaterThan(lastSeen);
    expect(Math.max(...attempts)).toBeLessThan((await renewed()) + 10_000);
    refused.remove();
    await replicas.start();
    await fleet.untilGone(timeoutMs);
    expect(fleet.mappings()).toEqual([]);
  }),
  240_000,
);
