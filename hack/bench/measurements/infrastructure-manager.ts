import type { Program } from '../environment/programs.ts';
import {
  openPopulation,
  openRuntimes,
  type Runtimes,
  type RuntimesEnvironment,
  startManager,
} from '../environment/runtimes.ts';
import { profileDuring } from '../measure/cpu-profile.ts';
import { inParallel } from '../measure/in-parallel.ts';
import type { Measurement } from '../measurement.ts';
import { count, number, quantity } from '../report/figures.ts';
import { joinResults, type Result } from '../report/report.ts';
import { figuresOfLife, type Life, lifeOf } from './runtimes/life.ts';
import { sumOf } from './runtimes/requests.ts';
import { atScale, compareWithPlain, restartAfterChanges, restartOver } from './runtimes/settled.ts';

const PROFILE_MS = 15_000;
/** Runtimes that are created while a profile is taken. */
const PROFILED = 100;
/** Of these, how many are changed. */
const CHANGED = 50;

export const infrastructureManager: Measurement = {
  name: 'infrastructure-manager',
  title: 'Runtimes until they are Ready, changed, and at rest',
  method:
    'The module `infrastructure-manager` with default flags, a simulated Gardener whose operations take no time, and a simulated cluster for each Runtime, which run in the process of the bench. ' +
    'Runtimes are created 32 at a time; the time runs from the first request until Gardener has all Shoots, and until a watch of the bench has reported all as Ready. ' +
    'A change is that of a worker pool; its time runs until Gardener has answered to the patch. Idle: one change after the other; burst: all at once. ' +
    'The plain program sends the same requests for Runtimes of its own, with the same rendering, as many workers and connections; at a restart it lists Runtimes and Shoots and compares them. A restart after changes ends when their Shoots are patched. ' +
    'Of the settled Runtimes, those beyond the burst are stored as the module leaves them. A restart ends when there were as many reconciles as Runtimes, each of which compares a Runtime with its Shoot; then the cluster of each is checked.',
  run: async (context) => {
    const { runtimes: settled, runtimesBurst: burst, cpuProf } = context.options;
    const environment = await context.environment();
    const profiled = cpuProf ? PROFILED : 0;
    const results: Result[] = [];
    const keep = (result: Result) => {
      results.push(result);
      // The measurement is long; a failure at its end must not lose all.
      for (const { name, value, unit, plain } of result.figures)
        context.print(
          `${name}: ${quantity(value, unit)}${plain === undefined ? '' : `, plain ${number(plain)}`}`,
        );
    };
    let plain: Life;
    {
      await using ofPlain = await openRuntimes(environment, 'plain');
      using population = openPopulation(ofPlain);
      await using program = await startManager(ofPlain, 'plain');
      plain = await lifeOf(ofPlain, 'plain', program, population, burst);
    }
    await using ofProvider = await openRuntimes(environment, 'bench');
    using population = openPopulation(ofProvider);
    {
      await using program = await startManager(ofProvider, 'provider');
      keep(figuresOfLife(burst, await lifeOf(ofProvider, 'provider', program, population, burst), plain));
      if (cpuProf) keep(await profileLife(ofProvider, program, population, profiled));
    }
    context.print(`storing Runtimes until ${count(settled)} are settled`);
    const names = await population.settle(Math.max(0, settled - burst - profiled));
    const size = Math.max(settled, burst + profiled);
    keep(await restartAfterChanges(ofProvider, population, size));
    const plainSeconds = await compareWithPlain(ofProvider, size);
    const before = {
      startedAt: context.clock.monotonic(),
      request: ofProvider.server.requests().at(-1)?.id ?? 0,
      clusterRequests: sumOf(ofProvider.clusters.requests()),
    };
    await using program = await startManager(ofProvider, 'provider');
    keep(await restartOver(ofProvider, program, { size, before, plainSeconds, cpuProf }));
    keep(await atScale(ofProvider, program, population, size, names));
    return joinResults(results);
  },
};

async function profileLife(
  environment: RuntimesEnvironment,
  program: Program,
  population: Runtimes,
  size: number,
): Promise<Result> {
  let names: readonly string[] = [];
  const profileOf = (what: string, of: number, work: () => Promise<void>) => {
    const profile = { title: `${count(of)} ${what}`, ms: PROFILE_MS, name: what.replaceAll(' ', '-') };
    return profileDuring(program, environment, profile, work);
  };
  const creation = await profileOf('new Runtimes', size, async () => {
    names = await population.create(size);
    await population.untilReady();
  });
  const changes = await profileOf('changes at once', CHANGED, async () => {
    await inParallel(names.slice(0, CHANGED), (name) => population.change(name, 9));
    await population.untilReady();
  });
  return { figures: [], profiles: [creation, changes] };
}
