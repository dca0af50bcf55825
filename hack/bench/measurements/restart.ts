import { sleep } from '../../../internal/base/time/clock.ts';
import type { BenchEnvironment } from '../environment/environment.ts';
import { type Population, preparePopulation, selectorOf, shardOf } from '../environment/population.ts';
import { startProvider } from '../environment/provider-run.ts';
import { watchReadiness } from '../environment/ready-watch.ts';
import { percentile } from '../measure/statistics.ts';
import type { BenchContext, Measurement, Result } from '../measurement.ts';
import { count } from '../report/format.ts';

/** New mappings while all others are reconciled again. */
const FRESH = 20;
const GAP_MS = 100;
/** Seconds for a new mapping, which must not wait for those that are only reconciled again. */
const TARGET_MS = 2000;

export const restart: Measurement = {
  name: 'restart',
  title: 'A restart over settled mappings',
  method:
    'The provider starts with all mappings Ready and reconciles each again. As soon as it is ready, new mappings are created one after the other; ' +
    'their time runs from the API server’s response until a watch of the bench reports them as Ready and Synced.',
  run: async (context) => {
    const environment = await context.environment();
    const settled = await context.settled(context.sizes.mappings.at(-1) ?? 0);
    const scale = { mappings: FRESH, perInstance: 1, clusters: 1 };
    const fresh = await preparePopulation(environment, 'fresh', scale, settled);
    return measure(context, environment, settled, fresh);
  },
};

async function measure(
  { clock, print, signal }: BenchContext,
  environment: BenchEnvironment,
  settled: Population,
  fresh: Population,
): Promise<Result> {
  const mappings = count(settled.mappings);
  print(`a restart over ${mappings} mappings`);
  const provider = await startProvider(environment, { selector: shardOf(settled) });
  const readyAt = clock.monotonic();
  const readiness = watchReadiness(environment, selectorOf([fresh]));
  try {
    const createdAt = new Map<string, number>();
    const onCreated = async (name: string) => {
      createdAt.set(name, clock.monotonic());
      await sleep(clock, GAP_MS, signal);
    };
    await fresh.create(onCreated, 1);
    while ((await provider.reconciles()) < settled.mappings + FRESH) await sleep(clock, 100, signal);
    const seconds = (clock.monotonic() - readyAt) / 1000;
    await provider.during(readiness.untilReady(fresh.names));
    const { peakRssMiB } = await provider.usage();
    const latencies = fresh.names.map((name) => (readiness.readyAt(name) ?? 0) - (createdAt.get(name) ?? 0));
    return {
      figures: [
        {
          name: `${mappings} settled mappings after a restart: until all are observed`,
          unit: 's',
          value: seconds,
        },
        {
          name: `${mappings} settled mappings after a restart: a new mapping meanwhile, p50`,
          unit: 'ms',
          value: percentile(latencies, 0.5),
        },
        {
          name: `${mappings} settled mappings after a restart: a new mapping meanwhile, worst`,
          unit: 'ms',
          value: percentile(latencies, 1),
          target: TARGET_MS,
        },
        { name: `${mappings} settled mappings after a restart: peak RSS`, unit: 'MiB', value: peakRssMiB },
      ],
    };
  } finally {
    readiness.stop();
    await provider.stop();
  }
}
