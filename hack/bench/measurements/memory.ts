import { sleep } from '../../../internal/base/time/clock.ts';
import type { BenchEnvironment } from '../environment/environment.ts';
import { startPlain } from '../environment/plain-run.ts';
import { type Population, selectorOf, shardOf } from '../environment/population.ts';
import { startProvider } from '../environment/provider-run.ts';
import type { Usage } from '../measure/measured-process.ts';
import type { BenchContext, Figure, Measurement } from '../measurement.ts';
import { count } from '../report/format.ts';

/** Starts when every mapping was observed once. */
const RUN_MS = 20_000;
const POLLS = [10, 60] as const;
/** MiB, by numbers of mappings. */
const TARGETS: Readonly<Record<number, number>> = { 1000: 120, 10000: 250 };
/** RSS with the longer interval, by that with the shorter one. */
const POLL_RATIO_TARGET = 1.05;

export const memory: Measurement = {
  name: 'memory',
  title: 'Memory with many mappings',
  method:
    'The process starts with all mappings Ready, observes each once and then polls them for another 20 s; resident memory is read after forced collections. ' +
    'The peak is the most there was at any time, before any forced collection. The plain program holds and polls the same mappings.',
  run: async (context) => {
    const environment = await context.environment();
    const mappings = context.sizes.mappings.at(-1) ?? 0;
    const population = await context.settled(mappings);
    const figures: Figure[] = [];
    const target = TARGETS[mappings];
    const plain = await withPlain(context, environment, population);
    const runs: Usage[] = [];
    for (const poll of POLLS) {
      const run = await withProvider(context, environment, population, poll);
      runs.push(run);
      const name = `${count(mappings)} mappings, poll ${poll} s`;
      figures.push(
        {
          name: `${name}: RSS after a collection`,
          unit: 'MiB',
          value: run.rssMiB,
          plain: plain.rssMiB,
          ...(target ? { target } : {}),
        },
        { name: `${name}: heap after a collection`, unit: 'MiB', value: run.heapMiB, plain: plain.heapMiB },
        { name: `${name}: peak RSS`, unit: 'MiB', value: run.peakRssMiB, plain: plain.peakRssMiB },
      );
    }
    const [short, long] = runs;
    if (short !== undefined && long !== undefined) {
      figures.push({
        name: `${count(mappings)} mappings: RSS at poll ${POLLS[1]} s by RSS at poll ${POLLS[0]} s`,
        unit: '',
        value: long.rssMiB / short.rssMiB,
        target: POLL_RATIO_TARGET,
      });
    }
    return { figures };
  },
};

async function withProvider(
  { clock, print, signal }: BenchContext,
  environment: BenchEnvironment,
  population: Population,
  pollSeconds: number,
): Promise<Usage> {
  const { mappings } = population;
  print(`${count(mappings)} mappings in memory, poll ${pollSeconds} s`);
  const provider = await startProvider(environment, {
    selector: shardOf(population),
    flags: ['--poll', `${pollSeconds}s`],
  });
  try {
    while ((await provider.reconciles()) < mappings) await sleep(clock, 250, signal);
    await sleep(clock, RUN_MS, signal);
    return await provider.collected();
  } finally {
    await provider.stop();
  }
}

async function withPlain(
  { clock, print, signal }: BenchContext,
  environment: BenchEnvironment,
  population: Population,
): Promise<Usage> {
  const { mappings } = population;
  print(`${count(mappings)} mappings in memory of the plain program`);
  const plain = await startPlain(environment, {
    selector: selectorOf([population]),
    pollMs: POLLS[0] * 1000,
  });
  try {
    while ((await plain.observations()) < mappings) await sleep(clock, 250, signal);
    await sleep(clock, RUN_MS, signal);
    return await plain.collected();
  } finally {
    await plain.stop();
  }
}
