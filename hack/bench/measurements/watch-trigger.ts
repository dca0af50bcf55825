import { sleep } from '../../../internal/framework/base/time/clock.ts';
import { collectionPath } from '../../../internal/framework/kube/client/resource-path.ts';
import { type BenchEnvironment, HANA_LATENCY_MS, type Requester } from '../environment/environment.ts';
import { createWaiting, type Population, SOURCE_TYPES, selectorOf } from '../environment/population.ts';
import { startProgram } from '../environment/programs.ts';
import { watchReadiness } from '../environment/ready-watch.ts';
import { percentile } from '../measure/statistics.ts';
import type { Measurement } from '../measurement.ts';
import { count, figuresOf } from '../report/figures.ts';
import { settledMappings } from './creation.ts';

/** Enough for a p99 that is not the maximum. */
const SAMPLES = 200;
/** Between one source and the next. */
const GAP_MS = 100;
/** A reconcile starts at least a second after the previous one, which ended when the mapping began to wait. */
const REST_MS = 3000;
/** The provider's default. */
const POLL_SECONDS = 60;
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
    const settled = await settledMappings(context, context.options.mappings.at(-1) ?? 0);
    const provider = await triggerAll(environment, settled, 'provider');
    const plain = await triggerAll(environment, settled, 'plain');
    const figures = figuresOf(
      `last source to Ready beside ${count(settled.mappings)} mappings, `,
      [
        ['p50', 'ms', (latencies) => percentile(latencies, 0.5)],
        ['p99', 'ms', (latencies) => percentile(latencies, 0.99), TARGET_MS],
      ],
      provider,
      plain,
    );
    return { figures };
  },
};

/** From the response to the write of the source, for each mapping, in ms. */
async function triggerAll(
  environment: BenchEnvironment,
  settled: Population,
  requester: Requester,
): Promise<number[]> {
  const { clock, print, signal } = environment;
  print(`${SAMPLES} mappings that wait, for the ${requester}`);
  const beside = requester === 'provider' ? settled : undefined;
  const waiting = await createWaiting(environment, `trigger-${requester}`, SAMPLES, 1, beside);
  using readiness = watchReadiness(environment, selectorOf([waiting]));
  await using program = await startProgram(environment, requester, {
    populations: [settled, waiting],
    pollSeconds: POLL_SECONDS,
    sources: SOURCE_TYPES.map((type) => collectionPath(type, undefined)),
  });
  if (requester === 'provider') await program.during(readiness.untilWaiting(waiting.names));
  else while ((await program.ask<number>('waiting')) < SAMPLES) await sleep(clock, 100, signal);
  await sleep(clock, REST_MS, signal);
  const broughtAt = new Map<string, number>();
  for (const name of waiting.names) {
    await waiting.bring(name);
    broughtAt.set(name, clock.monotonic());
    await sleep(clock, GAP_MS, signal);
  }
  await program.during(readiness.untilReady(waiting.names));
  return waiting.names.map((name) => readiness.readyAt(name) - (broughtAt.get(name) ?? 0));
}
