/**
 * A tenant that does its worst beside two honest ones, at all systems: its attacks are chosen at random from all kinds. What the honest
 * ones ask for is done within twice its time alone and 2 s, each program stays below the memory limit of its chart, and its event loop
 * goes on. With `FAULTS_SEED=1 FAULTS_RUNS=200` it has more runs, and compares times too, on a machine without other work.
 * `FAULTS_SYSTEMS=mappings,Runtimes` attacks these alone, `FAULTS_ATTACKS=240` by attacks with such names.
 */
import '../harness/timeout.ts';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sleep, systemClock } from '../../../internal/framework/base/time/clock.ts';
import { campaign, progressOf } from '../../campaign/campaign.ts';
import { forEach } from '../harness/for-each.ts';
import { type AttackedSystem, type Operation, scaledBy } from './tenants/attacked-system.ts';
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
/** Part of the names of attacks. */
const ONLY_ATTACKS = process.env.FAULTS_ATTACKS ?? '';
const TENANTS = ['honest-a', 'honest-b'];
/** Of each honest tenant, one after the other: at least so many, and more while the attacks go on. */
const MIN_OPERATIONS = 2;
const PAUSE_MS = 1000;
/** The attacks end once all honest tenants are done after that time. */
const RUN_MS = 12_000;
/** Until the first operation: the attack has all that tenants who do nothing leave. */
const HEAD_START_MS = 4000;
/** A machine that is slower than this leaves nothing to compare. */
const MAX_SLOWDOWN = 4;

let environment: TenantEnvironment;
let machine: BusyMachine;
let systems: readonly AttackedSystem[];
/** The longest operation without attacks, in ms. */
const alone = new Map<AttackedSystem, number>();
/** That were performed, and not removed yet. */
const operations: Operation[] = [];
const removeAll = () => forEach(operations.splice(0), async ({ remove }) => await remove?.());
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
  await removeAll();
}, 600_000);
afterAll(() => environment?.stop(), 120_000);

/** @returns in ms */
async function longestOperation(system: AttackedSystem, goesOn: () => boolean): Promise<number> {
  const ofTenants = await Promise.all(
    TENANTS.map(async (tenant) => {
      const prepared = [];
      for (let n = 0; n < MIN_OPERATIONS; n++) prepared.push(await system.prepare(tenant));
      let longest = 0;
      for (let n = 0; n < MIN_OPERATIONS || goesOn(); n++) {
        if (n > 0) await sleep(systemClock, PAUSE_MS);
        const operation = prepared.shift() ?? (await system.prepare(tenant));
        operations.push(operation);
        const began = performance.now();
        await operation.perform();
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
const choices = fc.record({
  chosen: fc.array(choice, { minLength: 2, maxLength: 6 }),
  headStartMs: fc.constantFrom(0, HEAD_START_MS),
});

test.each(fc.sample(choices, { seed, numRuns: runs }).map((choice, run) => ({ run, ...choice })))(
  'honest tenants beside a hostile one, run $run',
  async ({ run, chosen, headStartMs }) => {
    const ending = new AbortController();
    const own = monitorEventLoopDelay({ resolution: 10 });
    own.enable();
    const from = Date.now();
    const attacked = new Set<AttackedSystem>();
    const named: string[] = [];
    const hostile = chosen.map(({ system: which, kind, host, scale }, index) => {
      const system = systems[which % systems.length] as AttackedSystem;
      const kinds = Object.entries(system.attacks).filter(([name]) => name.includes(ONLY_ATTACKS));
      const [name = '', attack] = kinds[kind % kinds.length] ?? [];
      attacked.add(system);
      named.push(`${system.name}: ${name} × ${scale}`);
      let [hosts, names] = [host, 0];
      const { all } = environment.hosts;
      return attack?.({
        scaled: scaledBy(scale, ending.signal),
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
    await sleep(systemClock, headStartMs);
    await Promise.all(
      [...attacked].map(async (system) => {
        const began = Date.now();
        const ms = await longestOperation(system, () => isAttacked && Date.now() < from + RUN_MS);
        const slowdown = machine.slowdownSince(began);
        const allowed = 2 * Math.min(slowdown, MAX_SLOWDOWN) * (alone.get(system) ?? 0) + 2000;
        times.push(
          `${system.name} ${Math.round(ms)} of ${Math.round(allowed)} ms (machine ${slowdown.toFixed(1)})`,
        );
        // Other programs run beside `make test`.
        if (long && ms > allowed) violations.push(`${system.name}: took ${ms} of ${allowed} ms`);
      }),
    );
    const ownMs = Math.round(own.max / 1e6);
    ending.abort(new Error('the run has ended'));
    await attacks;
    const ended = Date.now();
    for (const system of systems) {
      await system.expectAlive();
      const { delayMs, peakBytes } = await system.meter.highestSince(from);
      if (peakBytes > system.memoryLimit)
        violations.push(`${system.name}: ${Math.round(peakBytes / MIB)} of ${system.memoryLimit / MIB} MiB`);
      if (long && delayMs > MAX_DELAY_MS)
        violations.push(`${system.name}: event loop stood for ${delayMs} ms`);
    }
    for (const system of attacked) await system.clean();
    await removeAll();
    progress();
    const outcome = violations.length > 0 ? `; VIOLATED ${violations.join('; ')} by ${named.join(', ')}` : '';
    const ms = {
      attack: ended - from,
      clean: Date.now() - ended,
      headStart: headStartMs,
      own: ownMs,
    };
    if (long) process.stderr.write(`run ${run}: ${times.join('; ')}; ${inspect(ms)}${outcome}\n`);
    // What the test itself, its servers and simulators had to do is not the fault of the programs.
    const seen = { named, ownMs };
    expect({ violations, times, ...seen }).toEqual({ violations: [], times, ...seen });
  },
  300_000,
);
