import { sleep } from '../../../internal/base/time/clock.ts';
import type { BenchEnvironment } from '../environment/environment.ts';
import { startPlain } from '../environment/plain-run.ts';
import { type Population, selectorOf, shardOf } from '../environment/population.ts';
import { type ProviderRun, startProvider } from '../environment/provider-run.ts';
import { type Traffic, watchTraffic } from '../environment/traffic.ts';
import type { MeasuredProcess } from '../measure/measured-process.ts';
import { takeProfile } from '../measure/profile/take-profile.ts';
import { sum } from '../measure/statistics.ts';
import type { BenchContext, Figure, Measurement, Profile, Result } from '../measurement.ts';
import { breakdown, count } from '../report/format.ts';

const POLL_SECONDS = 10;
/** Two polls of each mapping. */
const WINDOW_MS = 2000 * POLL_SECONDS;
const PROFILE_MS = 1000 * POLL_SECONDS;

export const steady: Measurement = {
  name: 'steady',
  title: 'Settled mappings that are polled',
  method:
    `All mappings are Ready and are polled every ${POLL_SECONDS} s, spread by a tenth. After the first round of polls everything is counted for ${WINDOW_MS / 1000} s and divided by the observations made meanwhile. ` +
    'CPU is that of the whole process in that time, collections of garbage included. ' +
    'The plain program observes the same mappings at the same interval: the four sources, in parallel, and a list.',
  run: async (context) => {
    const environment = await context.environment();
    const results: Result[] = [];
    for (const mappings of context.sizes.mappings) {
      const population = await context.settled(mappings);
      const profile = context.cpuProf && mappings === context.sizes.mappings.at(-1);
      const provider = await observeWithProvider(context, environment, population, profile);
      const plain = await observePlainly(context, environment, population);
      results.push(resultOf(population, provider, plain));
    }
    return {
      figures: results.flatMap(({ figures }) => figures),
      notes: results.flatMap(({ notes = [] }) => notes),
      profiles: results.flatMap(({ profiles = [] }) => profiles),
    };
  },
};

interface Steady {
  readonly observations: number;
  readonly cpuMs: number;
  readonly traffic: Traffic;
  readonly openWatches: number;
  readonly profile?: Profile;
}

async function observeWithProvider(
  context: BenchContext,
  environment: BenchEnvironment,
  population: Population,
  profile: boolean,
): Promise<Steady> {
  const { mappings } = population;
  context.print(`${count(mappings)} settled mappings with the provider`);
  const provider = await startProvider(environment, {
    selector: shardOf(population),
    flags: ['--poll', `${POLL_SECONDS}s`],
  });
  try {
    const steady = await observe(context, environment, 'provider', provider, mappings, provider);
    if (!profile) return steady;
    const { directory, dist } = context;
    const title = `Steady reconciles of ${count(mappings)} mappings`;
    return {
      ...steady,
      profile: await takeProfile(provider, { title, ms: PROFILE_MS, name: 'steady', directory, dist }),
    };
  } finally {
    await provider.stop();
  }
}

async function observePlainly(
  context: BenchContext,
  environment: BenchEnvironment,
  population: Population,
): Promise<Steady> {
  const { mappings } = population;
  context.print(`${count(mappings)} settled mappings with the plain program`);
  const plain = await startPlain(environment, {
    selector: selectorOf([population]),
    pollMs: POLL_SECONDS * 1000,
  });
  try {
    return await observe(context, environment, 'plain', plain, mappings, {
      reconciles: plain.observations,
      quiet: async () => undefined,
    });
  } finally {
    await plain.stop();
  }
}

async function observe(
  { clock, signal }: BenchContext,
  environment: BenchEnvironment,
  requester: 'provider' | 'plain',
  program: MeasuredProcess,
  mappings: number,
  { reconciles: observations, quiet }: Pick<ProviderRun, 'reconciles' | 'quiet'>,
): Promise<Steady> {
  const begun = await watchTraffic(environment, requester);
  while ((await observations()) < mappings) await sleep(clock, 250, signal);
  await sleep(clock, POLL_SECONDS * 1000, signal);
  // A reconcile on either edge would be counted by its requests and not as an observation, or the other way round.
  await quiet();
  const traffic = await watchTraffic(environment, requester);
  const before = { observations: await observations(), ...(await program.usage()) };
  await sleep(clock, WINDOW_MS, signal);
  await quiet();
  const after = { observations: await observations(), ...(await program.usage()) };
  const seen = await traffic();
  const { management, kyma } = await begun();
  return {
    observations: after.observations - before.observations,
    cpuMs: after.cpuMs - before.cpuMs,
    traffic: seen,
    openWatches: sum([...management.openWatches.values(), ...kyma.openWatches.values()]),
  };
}

function resultOf({ mappings, perInstance, clusters }: Population, provider: Steady, plain: Steady): Result {
  const figure = (name: string, value: (of: Steady) => number, target?: number): Figure => ({
    name: `${count(mappings)} settled mappings: ${name}`,
    unit: '',
    value: value(provider),
    plain: value(plain),
    ...(target === undefined ? {} : { target }),
  });
  const each = (value: (traffic: Traffic) => number) => (of: Steady) => value(of.traffic) / of.observations;
  const { observations, traffic, profile } = provider;
  return {
    figures: [
      { ...figure('CPU for each observation', (of) => of.cpuMs / of.observations, 4), unit: 'ms' },
      figure(
        'API server requests for each observation',
        each((of) => requests(of.management) + requests(of.kyma)),
        4.5,
      ),
      figure(
        'of these reads on the Kyma cluster',
        each(({ kyma }) => kyma.reads),
        1.3,
      ),
      figure(
        'of these writes',
        each(({ management, kyma }) => management.writes + kyma.writes),
        0,
      ),
      figure(
        'token requests for each observation',
        each(({ hana }) => hana.tokens),
        0,
      ),
      figure(
        'lists of HANA Cloud for each observation',
        each(({ hana }) => hana.lists),
        1 / perInstance,
      ),
      figure('most HANA Cloud calls in flight', (of) => of.traffic.hana.mostInFlight),
      figure('watches open', ({ openWatches }) => openWatches),
    ],
    notes: [
      `${count(mappings)} settled mappings: ${count(observations)} observations of the provider, ${count(plain.observations)} of the plain program; ${perInstance} mappings share an instance, ${count(clusters)} Kyma cluster${clusters === 1 ? '' : 's'}.`,
      ...(['management', 'kyma'] as const).map(
        (plane) =>
          `${count(mappings)} settled mappings, requests to ${plane} for each observation: ${breakdown(traffic[plane].byKind, observations)}`,
      ),
    ],
    ...(profile === undefined ? {} : { profiles: [profile] }),
  };
}

const requests = ({ reads, writes, watches }: Traffic['management']) => reads + writes + watches;
