/**
 * A tenant that does its worst beside two honest ones, at all systems: its attacks are chosen at random from all kinds. What the honest
 * ones ask for is done within twice its time alone and 2 s, each program stays below the memory limit of its chart, and its event loop
 * goes on. With `FAULTS_SEED=1 FAULTS_RUNS=200` it has more runs, and compares times too; `FAULTS_SYSTEMS=mappings,Runtimes` attacks
 * these alone. Times are compared on a machine without other work; `make test-faults` has the attacks on each system.
 */
import '../harness/timeout.ts';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { campaign, progressOf } from '../../campaign/campaign.ts';
import type { AttackedSystem } from './tenants/attacked-system.ts';
import { type BusyMachine, startBusyMachine } from './tenants/busy-machine.ts';
import { kymaClusters } from './tenants/kyma-clusters.ts';
import { mappings } from './tenants/mappings.ts';
import { mothershipClients } from './tenants/mothership-clients.ts';
import { runtimesOfAccounts } from './tenants/runtimes.ts';
import { serviceObjects } from './tenants/service-objects.ts';
import { startTenantEnvironment, type TenantEnvironment } from './tenants/tenant-environment.ts';

const { seed, runs, long } = campaign({ seed: 1, runs: 2 });
const MIB = 1024 * 1024;
const MAX_DELAY_MS = 250;
const TENANTS = ['honest-a', 'honest-b'];
/** Of each honest tenant, one after the other: at least so many, and at most so many while the attacks go on. */
const [MIN_OPERATIONS, MAX_OPERATIONS] = [2, 8];
/** A machine that is slower than this leaves nothing to compare. */
const MAX_SLOWDOWN = 4;

let environment: TenantEnvironment;
let machine: BusyMachine;
let systems: readonly AttackedSystem[];
/** The longest operation without attacks, in ms. */
const alone = new Map<AttackedSystem, number>();
const progress = progressOf('hostile tenants', { runs, long });

beforeAll(async () => {
  environment = await startTenantEnvironment();
  const clients = await mothershipClients(environment);
  const all = [
    mappings(environment),
    await kymaClusters(environment),
    await serviceObjects(environment),
    runtimesOfAccounts(environment),
    ...(clients === undefined ? [] : [clients]),
  ];
  const only = process.env.FAULTS_SYSTEMS?.split(',');
  systems = all.filter(({ name }) => only === undefined || only.includes(name));
  machine = await startBusyMachine(environment.planes.management.kubeconfigPath);
  environment.defer(machine.close);
  for (const system of systems) {
    const times = [];
    for (let n = 0; n < 2; n++) times.push(await longestOperation(system, () => false));
    alone.set(system, Math.max(...times));
  }
}, 600_000);
afterAll(() => environment?.stop(), 120_000);

/** @returns in ms */
async function longestOperation(system: AttackedSystem, goesOn: () => boolean): Promise<number> {
  const ofTenants = await Promise.all(
    TENANTS.map(async (tenant) => {
      const prepared = [];
      for (let n = 0; n < MIN_OPERATIONS; n++) prepared.push(await system.prepare(tenant));
      let longest = 0;
      for (let n = 0; n < MIN_OPERATIONS || (goesOn() && n < MAX_OPERATIONS); n++) {
        const operate = prepared.shift() ?? (await system.prepare(tenant));
        const began = performance.now();
        await operate();
        longest = Math.max(longest, performance.now() - began);
      }
      return longest;
    }),
  );
  return Math.max(...ofTenants);
}

const choice = fc.record({
  system: fc.nat(),
  kind: fc.nat(),
  host: fc.nat(),
  scale: fc.constantFrom(0.2, 0.5, 1, 1),
});
const choices = fc.array(choice, { minLength: 2, maxLength: 6 });

test.each(fc.sample(choices, { seed, numRuns: runs }).map((chosen, run) => ({ run, chosen })))(
  'honest tenants beside a hostile one, run $run',
  async ({ run, chosen }) => {
    const ending = new AbortController();
    const own = monitorEventLoopDelay({ resolution: 10 });
    own.enable();
    const from = Date.now();
    const attacked = new Set<AttackedSystem>();
    const named: string[] = [];
    const hostile = chosen.map(({ system: which, kind, host, scale }, index) => {
      const system = systems[which % systems.length] as AttackedSystem;
      const [name = '', attack] =
        Object.entries(system.attacks)[kind % Object.keys(system.attacks).length] ?? [];
      attacked.add(system);
      named.push(`${system.name}: ${name} × ${scale}`);
      let [hosts, names] = [host, 0];
      const { all } = environment.hosts;
      return attack?.({
        scale,
        signal: ending.signal,
        newName: () => `r${run}-${index}-${names++}`,
        nextHost: () => all[hosts++ % all.length] as (typeof all)[number],
      }).catch(() => undefined);
    });
    let isAttacked = true;
    const attacks = Promise.all(hostile).then(() => {
      isAttacked = false;
    });
    const violations: string[] = [];
    const times: string[] = [];
    await Promise.all(
      [...attacked].map(async (system) => {
        const began = Date.now();
        const ms = await longestOperation(system, () => isAttacked);
        const slowdown = Math.min(machine.slowdownSince(began), MAX_SLOWDOWN);
        const allowed = 2 * slowdown * (alone.get(system) ?? 0) + 2000;
        times.push(`${system.name} ${Math.round(ms)} of ${Math.round(allowed)} ms`);
        // Other programs run beside `make test`.
        if (long && ms > allowed) violations.push(`${system.name}: took ${ms} of ${allowed} ms`);
      }),
    );
    ending.abort(new Error('the run has ended'));
    await attacks;
    for (const system of systems) {
      await system.expectAlive();
      const { delayMs, peakBytes } = await system.meter.highestSince(from);
      if (peakBytes > system.memoryLimit)
        violations.push(`${system.name}: ${Math.round(peakBytes / MIB)} of ${system.memoryLimit / MIB} MiB`);
      if (long && delayMs > MAX_DELAY_MS)
        violations.push(`${system.name}: event loop stood for ${delayMs} ms`);
    }
    for (const system of attacked) await system.clean();
    progress();
    const outcome = violations.length > 0 ? `; VIOLATED ${violations.join('; ')} by ${named.join(', ')}` : '';
    if (long) process.stderr.write(`run ${run}: ${times.join('; ')}${outcome}\n`);
    // What the test itself, its servers and simulators had to do is not the fault of the programs.
    const seen = { named, ownDelayMs: own.max / 1e6 };
    expect({ violations, times, ...seen }).toEqual({ violations: [], times, ...seen });
  },
  300_000,
);
