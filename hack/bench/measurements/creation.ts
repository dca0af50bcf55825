import { sleep } from '../../../internal/framework/base/time/clock.ts';
import { type BenchEnvironment, HANA_LATENCY_MS, type Requester } from '../environment/environment.ts';
import { type Population, preparePopulation, type Scale, selectorOf } from '../environment/population.ts';
import { startProgram } from '../environment/programs.ts';
import { watchReadiness } from '../environment/ready-watch.ts';
import { type Cost, requestNotes, startMeter } from '../environment/traffic.ts';
import { takeProfile } from '../measure/cpu-profile.ts';
import { range } from '../measure/in-parallel.ts';
import { percentile } from '../measure/statistics.ts';
import type { Measurement, MeasurementContext } from '../measurement.ts';
import { readyChart } from '../report/chart.ts';
import { count, type FigureRow, figuresOf } from '../report/figures.ts';
import { joinResults, type Profile, type Result } from '../report/report.ts';

/** Events and the last watch responses come after the last mapping is Ready. */
const SETTLE_MS = 2000;
const WARM_UP = 50;
/** Up to this many mappings, single runs are too short to be exact: they alternate and are repeated. */
const SMALL = 100;
const ROUNDS = 3;
/** As long as a slow machine takes. */
const PROFILE_MS = 4000;
const PROFILE_MS_FOR_EACH = 20;
/** `--max-external-calls` */
const MAX_EXTERNAL_CALLS = 32;
/** Reads for each mapping, where ten share a binding, and where each has four sources of its own. */
const SHARED_READS = 1.3;
const ALONE_READS = 4.5;
/** Target in seconds, by number of mappings. */
const TARGETS: Readonly<Record<number, number>> = { 100: 2, 1000: 12 };

export const creation: Measurement = {
  name: 'creation',
  title: 'New mappings until all are Ready',
  method:
    `The sources exist, the program runs with default flags and is idle, HANA Cloud has a latency of ${HANA_LATENCY_MS} ms. ` +
    'Mappings share an instance, its binding and Secret by tens, and the ConfigMap, but for the last figures. Then all mappings are created, 32 at a time; the time runs from the first request until a watch of the bench reports the last mapping as Ready and Synced. ' +
    'Requests are those that the audit logs of the API servers and the simulator’s journal have recorded, events included. ' +
    `With ${SMALL} mappings or fewer it is the median of ${ROUNDS} runs, each of a new process; ${WARM_UP} mappings of the plain program come before all, so that API servers are warm. ` +
    'The plain program does the same for mappings of its own: watch, read the four sources, token, list, record the use and the intent, post, list, write status and event, with as many workers and connections. ' +
    'It shares neither reads nor lists, so the ratio of CPU shows what sharing saves as well.',
  run: async (context) => {
    const environment = await context.environment();
    await prepareAndCreate(environment, 'warm-up', { mappings: WARM_UP }, 'plain');
    const sizes = context.options.mappings;
    const results: Result[] = [];
    for (const mappings of sizes) {
      const runs: Record<Requester, Creation[]> = { provider: [], plain: [] };
      for (const round of range(mappings > SMALL ? 1 : ROUNDS)) {
        for (const requester of ['provider', 'plain'] as const) {
          const id = `new-${mappings}-${requester}-${round}`;
          const run = await prepareAndCreate(environment, id, { mappings }, requester);
          runs[requester].push(run);
          if (requester === 'provider') context.settled.set(mappings, run.population);
        }
      }
      const rows = rowsOf(mappings, SHARED_READS, TARGETS[mappings]);
      const [provider, plain] = [middle(runs.provider), middle(runs.plain)];
      const what = `${count(mappings)} new mappings`;
      const times = { provider: provider.readySeconds, 'plain program': plain.readySeconds };
      const charts = mappings > SMALL ? [readyChart(`mappings-ready-${mappings}`, what, times)] : [];
      results.push({ ...resultOf(what, rows, provider, plain), charts });
    }
    // The largest number once more, each with an instance, a binding, a Secret and a ConfigMap of its own.
    const mappings = sizes.at(-1) ?? 0;
    const scale = { mappings, ...ALONE };
    const [provider, plain] = [
      await prepareAndCreate(environment, `alone-${mappings}-provider`, scale, 'provider'),
      await prepareAndCreate(environment, `alone-${mappings}-plain`, scale, 'plain'),
    ];
    const what = `${count(mappings)} new mappings that share nothing`;
    results.push(resultOf(what, rowsOf(mappings, ALONE_READS), provider, plain));
    if (context.options.cpuProf) {
      const title = `${count(mappings)} new mappings`;
      const profile = { title, ms: PROFILE_MS + PROFILE_MS_FOR_EACH * mappings, name: 'new-mappings' };
      const { profiles } = await prepareAndCreate(environment, 'profiled', { mappings }, 'provider', profile);
      results.push({ figures: [], profiles });
    }
    return joinResults(results);
  },
};

export interface Creation extends Cost {
  readonly population: Population;
  /** If one was asked for. */
  readonly profiles: readonly Profile[];
  /** From the first request to the last mapping, in s. */
  readonly seconds: number;
  /** The same of each mapping. */
  readonly readySeconds: readonly number[];
  /** From its own creation, of each mapping, in ms. */
  readonly latencies: readonly number[];
}

/** Each has an instance, a binding, a Secret and a ConfigMap of its own. */
const ALONE = { perInstance: 1, ownClusterIDs: true } as const;

/** As many settled mappings that share nothing; no provider runs when they are returned. */
export async function settledAlone(context: MeasurementContext, mappings: number): Promise<Population> {
  const id = `settled-alone-${mappings}`;
  const environment = await context.environment();
  return (await prepareAndCreate(environment, id, { mappings, ...ALONE }, 'provider')).population;
}

/** The settled mappings of this number; no provider runs when they are returned. */
export async function settledMappings(context: MeasurementContext, mappings: number): Promise<Population> {
  const known = context.settled.get(mappings);
  if (known !== undefined) return known;
  const environment = await context.environment();
  const { population } = await prepareAndCreate(environment, `settled-${mappings}`, { mappings }, 'provider');
  context.settled.set(mappings, population);
  return population;
}

/** Has a fresh process make all mappings of a new population Ready. */
export async function prepareAndCreate(
  environment: BenchEnvironment,
  id: string,
  size: Pick<Scale, 'mappings'> & Partial<Scale>,
  requester: Requester,
  profile?: Parameters<typeof takeProfile>[2],
): Promise<Creation> {
  const { clock, print, signal, options } = environment;
  print(`${count(size.mappings)} new mappings for the ${requester}`);
  const { perInstance, clusters } = options;
  const population = await preparePopulation(environment, id, { perInstance, clusters, ...size });
  const { names } = population;
  await using program = await startProgram(environment, requester, { populations: [population] });
  using readiness = watchReadiness(environment, selectorOf([population]));
  // What its start still has to do is not what is measured.
  await sleep(clock, SETTLE_MS, signal);
  const cost = await startMeter(environment, requester, program);
  const taking = profile === undefined ? [] : [takeProfile(program, environment, profile)];
  const startedAt = clock.monotonic();
  const createdAt = new Map<string, number>();
  await population.create((name) => {
    createdAt.set(name, clock.monotonic());
  });
  await program.during(readiness.untilReady(names));
  await sleep(clock, SETTLE_MS, signal);
  const readySeconds = names.map((name) => (readiness.readyAt(name) - startedAt) / 1000);
  return {
    ...(await cost()),
    population,
    profiles: await Promise.all(taking),
    seconds: Math.max(...readySeconds),
    readySeconds,
    latencies: names.map((name) => readiness.readyAt(name) - (createdAt.get(name) ?? 0)),
  };
}

/** The run with the median duration. */
function middle(runs: readonly Creation[]): Creation {
  const found = runs.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(runs.length / 2)];
  if (found === undefined) throw new Error('there was no run');
  return found;
}

const rowsOf = (mappings: number, readsTarget: number, target?: number): FigureRow<Creation>[] => [
  ['until all are Ready', 's', ({ seconds }) => seconds, target],
  ['a mapping until it is Ready, p50', 'ms', ({ latencies }) => percentile(latencies, 0.5)],
  ['a mapping until it is Ready, p99', 'ms', ({ latencies }) => percentile(latencies, 0.99)],
  ['CPU for each', 'ms', ({ cpuMs }) => cpuMs / mappings],
  ['API server reads for each', '', ({ traffic }) => traffic.reads / mappings, readsTarget],
  ['API server writes for each', '', ({ traffic }) => traffic.writes / mappings, 4],
  ['token requests for each', '', ({ traffic }) => traffic.hana.tokens / mappings],
  ['lists of HANA Cloud for each', '', ({ traffic }) => traffic.hana.lists / mappings],
  ['posts to HANA Cloud for each', '', ({ traffic }) => traffic.hana.posts / mappings],
  ['most HANA Cloud calls in flight', '', ({ traffic }) => traffic.hana.mostInFlight, MAX_EXTERNAL_CALLS],
];

const resultOf = (
  what: string,
  rows: readonly FigureRow<Creation>[],
  provider: Creation,
  plain: Creation,
): Result => ({
  figures: figuresOf(`${what}: `, rows, provider, plain),
  notes: requestNotes(what, 'for each', provider.traffic, provider.population.mappings),
});
