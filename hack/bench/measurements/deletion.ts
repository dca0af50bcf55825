import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { sleep } from '../../../internal/base/time/clock.ts';
import { collectionPath, objectPath } from '../../../internal/kube/client/resource-path.ts';
import type { BenchEnvironment } from '../environment/environment.ts';
import { type Population, preparePopulation, selectorOf, shardOf } from '../environment/population.ts';
import { startProvider } from '../environment/provider-run.ts';
import { type Traffic, watchTraffic } from '../environment/traffic.ts';
import { inParallel } from '../measure/in-parallel.ts';
import type { BenchContext, Measurement, Result } from '../measurement.ts';
import { breakdown, count } from '../report/format.ts';
import { createAll } from './creation.ts';

/** The last events and usages go after the last mapping. */
const SETTLE_MS = 3000;
const TIMEOUT_MS = 300_000;

export const deletion: Measurement = {
  name: 'deletion',
  title: 'Deletions until all mappings are gone',
  method:
    'The provider runs with default flags and has made all mappings Ready. Then all are deleted at once, 32 at a time; the clock runs from the first request until a list of the bench, ten times a second, is empty. ' +
    'The plain program knows no deletion. For comparison between machines there is the creation of as many mappings in the same run.',
  run: async (context) => {
    const environment = await context.environment();
    const mappings = context.sizes.mappings.at(-1) ?? 0;
    const population = await preparePopulation(environment, `deleted-${mappings}`, {
      ...context.sizes,
      mappings,
    });
    const created = await createAll(context, environment, population, 'provider');
    return resultOf(mappings, await deleteAll(context, population), created);
  },
};

interface Cost {
  /** From the first request to the last mapping, in s. */
  readonly seconds: number;
  readonly cpuMs: number;
  readonly traffic: Traffic;
}

async function deleteAll(context: BenchContext, population: Population): Promise<Cost> {
  const { clock, print, signal } = context;
  const environment = await context.environment();
  const { names } = population;
  print(`${count(names.length)} deletions`);
  const provider = await startProvider(environment, { selector: shardOf(population) });
  try {
    // The first observation of each is not measured.
    while ((await provider.reconciles()) < names.length) await sleep(clock, 250, signal);
    await provider.quiet();
    const traffic = await watchTraffic(environment, 'provider');
    const { cpuMs: before } = await provider.usage();
    const startedAt = clock.monotonic();
    await inParallel(names, (name) =>
      environment.management.send({ method: 'DELETE', path: objectPath(kymaInstanceMappings, { name }) }),
    );
    await provider.during(untilGone(context, environment, population));
    const seconds = (clock.monotonic() - startedAt) / 1000;
    await sleep(clock, SETTLE_MS, signal);
    const { cpuMs } = await provider.usage();
    return { seconds, cpuMs: cpuMs - before, traffic: await traffic() };
  } finally {
    await provider.stop();
  }
}

/** A watch can miss deletions: after a reconnect it reports what exists, not what was deleted meanwhile. */
async function untilGone(
  { clock, signal }: BenchContext,
  { management }: BenchEnvironment,
  population: Population,
): Promise<void> {
  const query = new URLSearchParams({ labelSelector: selectorOf([population]), limit: '1' });
  const path = `${collectionPath(kymaInstanceMappings, undefined)}?${query}`;
  const deadline = clock.monotonic() + TIMEOUT_MS;
  for (;;) {
    const { items } = await management.send<{ readonly items: readonly unknown[] }>({ path });
    if (items.length === 0) return;
    if (clock.monotonic() > deadline) throw new Error(`there are mappings left after ${TIMEOUT_MS / 1000} s`);
    await sleep(clock, 100, signal);
  }
}

function resultOf(mappings: number, deleted: Cost, created: Cost): Result {
  const name = `${count(mappings)} deletions`;
  const reads = ({ management, kyma }: Traffic) => management.reads + kyma.reads;
  const writes = ({ management, kyma }: Traffic) => management.writes + kyma.writes;
  const per = (value: (traffic: Traffic) => number) => ({
    unit: '' as const,
    value: value(deleted.traffic) / mappings,
  });
  return {
    figures: [
      { name: `${name}: until all are gone`, unit: 's', value: deleted.seconds },
      {
        name: `${name}: by the time until as many were Ready`,
        unit: '',
        value: deleted.seconds / created.seconds,
      },
      { name: `${name}: CPU for each`, unit: 'ms', value: deleted.cpuMs / mappings },
      { name: `${name}: by the CPU of a new mapping`, unit: '', value: deleted.cpuMs / created.cpuMs },
      { name: `${name}: API server reads for each`, ...per(reads) },
      { name: `${name}: API server writes for each`, ...per(writes) },
      { name: `${name}: lists of HANA Cloud for each`, ...per(({ hana }) => hana.lists) },
    ],
    notes: (['management', 'kyma'] as const).map(
      (plane) =>
        `${name}, requests to ${plane} for each: ${breakdown(deleted.traffic[plane].byKind, mappings)}`,
    ),
  };
}
