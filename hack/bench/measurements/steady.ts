import { sleep } from '../../../internal/framework/base/time/clock.ts';
import type { BenchEnvironment, Requester } from '../environment/environment.ts';
import type { Population } from '../environment/population.ts';
import { startProgram, untilObserved } from '../environment/programs.ts';
import {
  type ApiTraffic,
  type Cost,
  requestNotes,
  startMeter,
  watchTraffic,
} from '../environment/traffic.ts';
import { takeProfile } from '../measure/cpu-profile.ts';
import { sum } from '../measure/statistics.ts';
import type { Measurement } from '../measurement.ts';
import { count, type FigureRow, figuresOf } from '../report/figures.ts';
import { joinResults, type Profile, type Result } from '../report/report.ts';
import { settledAlone, settledMappings } from './creation.ts';

const POLL_SECONDS = 10;
/** Two polls of each mapping. */
const WINDOW_MS = 2000 * POLL_SECONDS;
const PROFILE_MS = 1000 * POLL_SECONDS;
/** The default. Between two polls of a mapping a list is too old. */
const ALONE_POLL_SECONDS = 60;
/** For each observation of mappings that share nothing, by their number. */
const ALONE = { few: { requests: 1.5, cpuMs: 2.5 }, many: { requests: 0.5, cpuMs: 1.2 } } as const;
const MANY = 1000;

export const steady: Measurement = {
  name: 'steady',
  title: 'Settled mappings that are polled',
  method:
    `All mappings are Ready and are polled every ${POLL_SECONDS} s, spread by a tenth. After the first round of polls everything is counted for ${WINDOW_MS / 1000} s and divided by the observations made meanwhile. ` +
    'CPU is that of the whole process in that time, collections of garbage included. ' +
    'The plain program observes the same mappings at the same interval: the four sources, in parallel, and a list. ' +
    `Mappings that share nothing have an instance, a binding, a Secret and a ConfigMap each, and are polled every ${ALONE_POLL_SECONDS} s; they are counted for as long.`,
  run: async (context) => {
    const environment = await context.environment();
    const { mappings: sizes, cpuProf } = context.options;
    const results: Result[] = [];
    for (const mappings of sizes) {
      const population = await settledMappings(context, mappings);
      const profiled = cpuProf && mappings === sizes.at(-1);
      const provider = await observe(environment, 'provider', population, profiled);
      const plain = await observe(environment, 'plain', population);
      results.push(resultOf(population, provider, plain));
      const alone = await settledAlone(context, mappings);
      const targets = mappings < MANY ? ALONE.few : ALONE.many;
      results.push(
        resultAlone(alone, await observe(environment, 'provider', alone, false, ALONE_POLL_SECONDS), targets),
      );
    }
    return joinResults(results);
  },
};

interface Steady extends Cost {
  readonly observations: number;
  readonly openWatches: number;
  readonly profiles: readonly Profile[];
}

async function observe(
  environment: BenchEnvironment,
  requester: Requester,
  population: Population,
  profiled = false,
  pollSeconds = POLL_SECONDS,
): Promise<Steady> {
  const { clock, signal, print } = environment;
  const what = `${count(population.mappings)} settled mappings`;
  print(`${what} with the ${requester}, poll ${pollSeconds} s`);
  const work = { populations: [population], pollSeconds } as const;
  await using program = await startProgram(environment, requester, work);
  const begun = await watchTraffic(environment, requester);
  await untilObserved(environment, program, population.mappings);
  await sleep(clock, pollSeconds * 1000, signal);
  // A reconcile on either edge would be counted by its requests and not as an observation, or the other way round.
  await program.quiet();
  const cost = await startMeter(environment, requester, program);
  const before = await program.observations();
  await sleep(clock, Math.max(WINDOW_MS, 1000 * pollSeconds), signal);
  await program.quiet();
  const observations = (await program.observations()) - before;
  const used = await cost();
  const { management, kyma } = await begun();
  const openWatches = sum([...management.openWatches.values(), ...kyma.openWatches.values()]);
  const profile = {
    title: `Steady reconciles of ${what.replace('settled ', '')}`,
    ms: PROFILE_MS,
    name: 'steady',
  };
  const profiles = profiled ? [await takeProfile(program, environment, profile)] : [];
  return { ...used, observations, openWatches, profiles };
}

function resultOf({ mappings, perInstance, clusters }: Population, provider: Steady, plain: Steady): Result {
  const rows: FigureRow<Steady>[] = [
    ['CPU for each observation', 'ms', (of) => of.cpuMs / of.observations, 4],
    [
      'API server requests for each observation',
      '',
      (of) => (requests(of.traffic.management) + requests(of.traffic.kyma)) / of.observations,
      4.5,
    ],
    ['of these reads on the Kyma cluster', '', (of) => of.traffic.kyma.reads / of.observations, 1.3],
    ['of these writes', '', (of) => of.traffic.writes / of.observations, 0],
    ['token requests for each observation', '', (of) => of.traffic.hana.tokens / of.observations, 0],
    [
      'lists of HANA Cloud for each observation',
      '',
      (of) => of.traffic.hana.lists / of.observations,
      1 / perInstance,
    ],
    ['most HANA Cloud calls in flight', '', (of) => of.traffic.hana.mostInFlight],
    ['watches open', '', (of) => of.openWatches],
  ];
  const what = `${count(mappings)} settled mappings`;
  const observed = `${count(provider.observations)} observations of the provider, ${count(plain.observations)} of the plain program`;
  const shape = `${perInstance} mappings share an instance, ${count(clusters)} Kyma cluster${clusters === 1 ? '' : 's'}`;
  return {
    figures: figuresOf(`${what}: `, rows, provider, plain),
    notes: [
      `${what}: ${observed}; ${shape}.`,
      ...requestNotes(what, 'for each observation', provider.traffic, provider.observations),
    ],
    profiles: provider.profiles,
  };
}

function resultAlone(
  { mappings }: Population,
  provider: Steady,
  targets: { readonly requests: number; readonly cpuMs: number },
): Result {
  const rows: FigureRow<Steady>[] = [
    ['CPU for each observation', 'ms', (of) => of.cpuMs / of.observations, targets.cpuMs],
    [
      'API server requests for each observation',
      '',
      (of) => (requests(of.traffic.management) + requests(of.traffic.kyma)) / of.observations,
      targets.requests,
    ],
    ['of these writes', '', (of) => of.traffic.writes / of.observations, 0],
  ];
  const what = `${count(mappings)} settled mappings that share nothing`;
  return {
    figures: figuresOf(`${what}: `, rows, provider),
    notes: requestNotes(what, 'for each observation', provider.traffic, provider.observations),
  };
}

const requests = ({ reads, writes, watches }: ApiTraffic) => reads + writes + watches;
