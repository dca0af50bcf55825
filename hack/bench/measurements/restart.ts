import { sleep } from '../../../internal/base/time/clock.ts';
import type { Landscape } from '../environment/environment.ts';
import { type Population, preparePopulation, selectorOf, shardOf } from '../environment/population.ts';
import { startProvider } from '../environment/provider-run.ts';
import { watchReadiness } from '../environment/ready-watch.ts';
import { percentile } from '../measure/statistics.ts';
import type { BenchContext, Measurement, Result } from '../measurement.ts';
import { count } from '../report/format.ts';

/** New mappings while all others are looked at again. */
const FRESH = 20;
const GAP_MS = 100;
/** Seconds for a new mapping that must not wait for those that are only looked at again. */
const TARGET_MS = 2000;

export const restart: Measurement = {
  name: 'restart',
  title: 'A restart over settled mappings',
  method:
    'The provider starts with all mappings Ready and looks at each again. As soon as it reports to be ready, new mappings are created one after the other; ' +
    'their clock runs from the API server’s answer until a watch of the bench has told that they are Ready and Synced.',
  run: async (context) => {
    const landscape = await context.landscape();
    const settled = await context.settled(context.sizes.mappings.at(-1) ?? 0);
    const scale = { mappings: FRESH, perInstance: 1, clusters: 1 };
    const fresh = await preparePopulation(landscape, 'fresh', scale, settled);
    return measure(context, landscape, settled, fresh);
  },
};

async function measure(
  { clock, tell, signal }: BenchContext,
  landscape: Landscape,
  settled: Population,
  fresh: Population,
): Promise<Result> {
  const mappings = count(settled.mappings);
  tell(`a restart over ${mappings} mappings`);
  const provider = await startProvider(landscape, { selector: shardOf(settled) });
  const readyAt = clock.monotonic();
  const readiness = watchReadiness(landscape, selectorOf([fresh]));
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
