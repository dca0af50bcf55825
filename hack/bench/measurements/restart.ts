import { preparePopulation, selectorOf } from '../environment/population.ts';
import { startProgram } from '../environment/programs.ts';
import { createDuring, watchReadiness } from '../environment/ready-watch.ts';
import { percentile } from '../measure/statistics.ts';
import type { Measurement } from '../measurement.ts';
import { count, figure } from '../report/figures.ts';
import { settledMappings } from './creation.ts';

/** New mappings while all others are reconciled again. */
const FRESH = 20;
const GAP_MS = 100;
/** For a new mapping, which must not wait for those that are only reconciled again. */
const TARGET_MS = 2000;

export const restart: Measurement = {
  name: 'restart',
  title: 'A restart over settled mappings',
  method:
    'The provider starts with all mappings Ready and reconciles each again. As soon as it is ready, new mappings are created one after the other; ' +
    'their time runs from the API server’s response until a watch of the bench reports them as Ready and Synced.',
  run: async (context) => {
    const environment = await context.environment();
    const { clock, print } = environment;
    const settled = await settledMappings(context, context.options.mappings.at(-1) ?? 0);
    const scale = { mappings: FRESH, perInstance: 1, clusters: 1 };
    const fresh = await preparePopulation(environment, 'fresh', scale, settled);
    const mappings = count(settled.mappings);
    print(`a restart over ${mappings} mappings`);
    await using provider = await startProgram(environment, 'provider', { populations: [settled] });
    const readyAt = clock.monotonic();
    using readiness = watchReadiness(environment, selectorOf([fresh]));
    let endedAt = readyAt;
    const isOngoing = async () => {
      endedAt = clock.monotonic();
      return (await provider.observations()) < settled.mappings + FRESH;
    };
    const latencies = await provider.during(
      createDuring(environment, fresh, readiness, { gapMs: GAP_MS, isOngoing }),
    );
    const { peakRssMiB } = await provider.usage();
    const name = `${mappings} settled mappings after a restart`;
    const meanwhile = `${name}: a new mapping meanwhile`;
    return {
      figures: [
        figure(`${name}: until all are observed`, 's', (endedAt - readyAt) / 1000),
        figure(`${meanwhile}, p50`, 'ms', percentile(latencies, 0.5)),
        figure(`${meanwhile}, worst`, 'ms', percentile(latencies, 1), TARGET_MS),
        figure(`${name}: peak RSS`, 'MiB', peakRssMiB),
      ],
    };
  },
};
