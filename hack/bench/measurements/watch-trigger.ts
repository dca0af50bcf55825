import { sleep } from '../../../internal/base/time/clock.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../../internal/controllers/inventory/kymainstancemapping/inputs/btp-operator-types.ts';
import { collectionPath } from '../../../internal/kube/client/resource-path.ts';
import { configMaps, secrets } from '../../../internal/kube/object/resource-type.ts';
import { type BenchEnvironment, HANA_LATENCY_MS, type Requester } from '../environment/environment.ts';
import { startPlain } from '../environment/plain-run.ts';
import { type Population, selectorOf, shardOf } from '../environment/population.ts';
import { startProvider } from '../environment/provider-run.ts';
import { watchReadiness } from '../environment/ready-watch.ts';
import { createWaiting } from '../environment/waiting-population.ts';
import type { MeasuredProcess } from '../measure/measured-process.ts';
import { percentile } from '../measure/statistics.ts';
import type { BenchContext, Figure, Measurement } from '../measurement.ts';
import { count } from '../report/format.ts';

/** Enough for a p99 that is not the maximum. */
const SAMPLES = 200;
/** Between one source and the next. */
const GAP_MS = 100;
/** A reconcile starts at least a second after the previous one, which ended when the mapping began to wait. */
const REST_MS = 3000;
/** The provider's default. */
const POLL_MS = 60_000;
const SOURCES = [serviceInstances, serviceBindings, secrets, configMaps].map((type) =>
  collectionPath(type, undefined),
);
/** Sequential requests of a creation to HANA Cloud: list, post, list. Its token may be cached. */
const HANA_CALLS = 3;
const TARGET_MS = 500 + HANA_CALLS * HANA_LATENCY_MS;

export const watchTrigger: Measurement = {
  name: 'watch-trigger',
  title: 'From the last source’s appearance to Ready',
  method:
    `${SAMPLES} mappings wait for one source each, the four kinds in turn, beside the settled mappings of the largest size, with default flags. ` +
    `Every ${GAP_MS} ms one source is created; the time runs from the API server’s response until a watch of the bench reports the mapping as Ready and Synced. ` +
    'Meanwhile only the settled mappings are polled. ' +
    `The target is 500 ms and ${HANA_CALLS} responses of HANA Cloud. The plain program watches all objects of the four kinds and polls the same settled mappings.`,
  run: async (context) => {
    const environment = await context.environment();
    const settled = await context.settled(context.sizes.mappings.at(-1) ?? 0);
    const provider = await triggerAll(context, environment, settled, 'provider');
    const plain = await triggerAll(context, environment, settled, 'plain');
    const figure = (p: number): Figure => ({
      name: `last source to Ready beside ${count(settled.mappings)} mappings, p${p}`,
      unit: 'ms',
      value: percentile(provider, p / 100),
      plain: percentile(plain, p / 100),
    });
    return { figures: [figure(50), { ...figure(99), target: TARGET_MS }] };
  },
};

/** From the response to the write of the source, for each mapping, in ms. */
async function triggerAll(
  context: BenchContext,
  environment: BenchEnvironment,
  settled: Population,
  requester: Requester,
): Promise<number[]> {
  const { clock, print, signal } = context;
  print(`${SAMPLES} mappings that wait, for the ${requester}`);
  const beside = requester === 'provider' ? { beside: settled } : {};
  const waiting = await createWaiting(environment, `trigger-${requester}`, SAMPLES, beside);
  const readiness = watchReadiness(environment, selectorOf([waiting]));
  const names = waiting.mappings.map(({ name }) => name);
  let program: MeasuredProcess | undefined;
  try {
    if (requester === 'provider') {
      program = await startProvider(environment, { selector: shardOf(settled) });
      await program.during(readiness.untilWaiting(names));
    } else {
      const selector = selectorOf([settled, waiting]);
      const plain = await startPlain(environment, { selector, pollMs: POLL_MS, sources: SOURCES });
      program = plain;
      while ((await plain.waiting()) < SAMPLES) await sleep(clock, 100, signal);
    }
    await sleep(clock, REST_MS, signal);
    const broughtAt = new Map<string, number>();
    for (const mapping of waiting.mappings) {
      await mapping.bring();
      broughtAt.set(mapping.name, clock.monotonic());
      await sleep(clock, GAP_MS, signal);
    }
    await program.during(readiness.untilReady(names));
    return names.map((name) => (readiness.readyAt(name) ?? Number.NaN) - (broughtAt.get(name) ?? 0));
  } finally {
    readiness.stop();
    await program?.stop();
  }
}
