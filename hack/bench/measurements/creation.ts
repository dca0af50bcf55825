import { sleep } from '../../../internal/base/time/clock.ts';
import { type BenchEnvironment, HANA_LATENCY_MS, type Requester } from '../environment/environment.ts';
import { startPlain } from '../environment/plain-run.ts';
import { type Population, preparePopulation, selectorOf, shardOf } from '../environment/population.ts';
import { startProvider } from '../environment/provider-run.ts';
import { watchReadiness } from '../environment/ready-watch.ts';
import { type Traffic, watchTraffic } from '../environment/traffic.ts';
import { range } from '../measure/in-parallel.ts';
import type { MeasuredProcess } from '../measure/measured-process.ts';
import { percentile } from '../measure/statistics.ts';
import type { BenchContext, Figure, Measurement, Result } from '../measurement.ts';
import { breakdown, count } from '../report/format.ts';

/** Events and the last watch responses come after the last mapping is Ready. */
const SETTLE_MS = 2000;
const WARM_UP = 50;
/** Up to this many mappings, single runs are too short to be exact: they alternate and are repeated. */
const SMALL = 100;
const ROUNDS = 3;
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
    const results: Result[] = [];
    await warmUp(context, environment);
    for (const mappings of context.sizes.mappings) {
      const runs: Record<Requester, Creation[]> = { provider: [], plain: [] };
      for (const round of range(mappings > SMALL ? 1 : ROUNDS)) {
        for (const requester of ['provider', 'plain'] as const) {
          const population = await prepare(
            context,
            environment,
            `new-${mappings}-${requester}-${round}`,
            mappings,
          );
          runs[requester].push(await createAll(context, environment, population, requester));
          if (requester === 'provider') context.keep(population);
        }
      }
      const what = `${count(mappings)} new mappings`;
      const [provider, plain] = [middle(runs.provider), middle(runs.plain)];
      results.push(resultOf(what, mappings, provider, plain, SHARED_READS, TARGETS[mappings]));
    }
    results.push(await sharingNothing(context, environment));
    return {
      figures: results.flatMap(({ figures }) => figures),
      notes: results.flatMap(({ notes = [] }) => notes),
    };
  },
};

/** The largest number once more, each with an instance, a binding, a Secret and a ConfigMap of its own. */
async function sharingNothing(context: BenchContext, environment: BenchEnvironment): Promise<Result> {
  const mappings = context.sizes.mappings.at(-1) ?? 0;
  const create = async (requester: Requester) => {
    const scale = { ...context.sizes, mappings, perInstance: 1, ownClusterIDs: true };
    const population = await preparePopulation(environment, `alone-${mappings}-${requester}`, scale);
    return createAll(context, environment, population, requester);
  };
  const provider = await create('provider');
  return resultOf(
    `${count(mappings)} new mappings that share nothing`,
    mappings,
    provider,
    await create('plain'),
    ALONE_READS,
  );
}

/** First requests warm up the API servers and are not counted. */
async function warmUp(context: BenchContext, environment: BenchEnvironment): Promise<void> {
  const population = await prepare(context, environment, 'warm-up', WARM_UP);
  await createAll(context, environment, population, 'plain');
}

function prepare(
  { sizes, print }: BenchContext,
  environment: BenchEnvironment,
  id: string,
  mappings: number,
) {
  print(`preparing ${count(mappings)} mappings`);
  return preparePopulation(environment, id, { ...sizes, mappings });
}

/** The run with the median duration. */
function middle(runs: readonly Creation[]): Creation {
  const found = runs.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(runs.length / 2)];
  if (found === undefined) throw new Error('there was no run');
  return found;
}

export interface Creation {
  /** From the first request to the last mapping, in s. */
  readonly seconds: number;
  /** From its own creation, of each mapping, in ms. */
  readonly latencies: readonly number[];
  readonly cpuMs: number;
  readonly traffic: Traffic;
}

/** Has a fresh process make all mappings of the population Ready. */
export async function createAll(
  { clock, print, signal }: BenchContext,
  environment: BenchEnvironment,
  population: Population,
  requester: Requester,
): Promise<Creation> {
  const { names } = population;
  const selector = selectorOf([population]);
  print(`${count(names.length)} new mappings for the ${requester}`);
  const program: MeasuredProcess = await (requester === 'provider'
    ? startProvider(environment, { selector: shardOf(population) })
    : startPlain(environment, { selector }));
  const readiness = watchReadiness(environment, selector);
  try {
    // What its start still has to do is not what is measured.
    await sleep(clock, SETTLE_MS, signal);
    const traffic = await watchTraffic(environment, requester);
    const { cpuMs: cpuBefore } = await program.usage();
    const startedAt = clock.monotonic();
    const createdAt = new Map<string, number>();
    await population.create((name) => {
      createdAt.set(name, clock.monotonic());
    });
    await program.during(readiness.untilReady(names));
    await sleep(clock, SETTLE_MS, signal);
    const { cpuMs } = await program.usage();
    const ends = names.map((name) => readiness.readyAt(name) ?? Number.NaN);
    return {
      seconds: (Math.max(...ends) - startedAt) / 1000,
      latencies: names.map((name, index) => (ends[index] ?? 0) - (createdAt.get(name) ?? 0)),
      cpuMs: cpuMs - cpuBefore,
      traffic: await traffic(),
    };
  } finally {
    readiness.stop();
    await program.stop();
  }
}

function resultOf(
  what: string,
  mappings: number,
  provider: Creation,
  plain: Creation,
  readsTarget: number,
  target?: number,
): Result {
  const figure = (name: string, unit: Figure['unit'], value: (of: Creation) => number): Figure => ({
    name: `${what}: ${name}`,
    unit,
    value: value(provider),
    plain: value(plain),
  });
  const per = (value: (traffic: Traffic) => number) => (of: Creation) => value(of.traffic) / mappings;
  return {
    figures: [
      { ...figure('until all are Ready', 's', ({ seconds }) => seconds), ...(target ? { target } : {}) },
      figure('a mapping until it is Ready, p50', 'ms', ({ latencies }) => percentile(latencies, 0.5)),
      figure('a mapping until it is Ready, p99', 'ms', ({ latencies }) => percentile(latencies, 0.99)),
      figure('CPU for each', 'ms', ({ cpuMs }) => cpuMs / mappings),
      { ...figure('API server reads for each', '', per(reads)), target: readsTarget },
      { ...figure('API server writes for each', '', per(writes)), target: 4 },
      figure(
        'token requests for each',
        '',
        per(({ hana }) => hana.tokens),
      ),
      figure(
        'lists of HANA Cloud for each',
        '',
        per(({ hana }) => hana.lists),
      ),
      figure(
        'posts to HANA Cloud for each',
        '',
        per(({ hana }) => hana.posts),
      ),
      {
        ...figure('most HANA Cloud calls in flight', '', ({ traffic }) => traffic.hana.mostInFlight),
        target: MAX_EXTERNAL_CALLS,
      },
    ],
    notes: (['management', 'kyma'] as const).map(
      (plane) =>
        `${what}, requests to ${plane} for each: ${breakdown(provider.traffic[plane].byKind, mappings)}`,
    ),
  };
}

const reads = ({ management, kyma }: Traffic) => management.reads + kyma.reads;
const writes = ({ management, kyma }: Traffic) => management.writes + kyma.writes;
