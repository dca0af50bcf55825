import { sleep } from '../../../internal/framework/base/time/clock.ts';
import type { BenchEnvironment, Requester } from '../environment/environment.ts';
import type { Population } from '../environment/population.ts';
import { startProgram, untilObserved } from '../environment/programs.ts';
import type { Usage } from '../measure/measured-process.ts';
import type { Measurement } from '../measurement.ts';
import { count, type FigureRow, figure, figuresOf } from '../report/figures.ts';
import { settledMappings } from './creation.ts';

/** Starts when every mapping was observed once. */
const RUN_MS = 20_000;
/** Seconds. */
const [SHORT_POLL, LONG_POLL] = [10, 60];
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
    const mappings = context.options.mappings.at(-1) ?? 0;
    const population = await settledMappings(context, mappings);
    const plain = await hold(environment, 'plain', population, SHORT_POLL);
    const short = await hold(environment, 'provider', population, SHORT_POLL);
    const long = await hold(environment, 'provider', population, LONG_POLL);
    const rows: FigureRow<Usage>[] = [
      ['RSS after a collection', 'MiB', ({ rssMiB }) => rssMiB, TARGETS[mappings]],
      ['heap after a collection', 'MiB', ({ heapMiB }) => heapMiB],
      ['peak RSS', 'MiB', ({ peakRssMiB }) => peakRssMiB],
    ];
    const what = `${count(mappings)} mappings`;
    return {
      figures: [
        ...figuresOf(`${what}, poll ${SHORT_POLL} s: `, rows, short, plain),
        ...figuresOf(`${what}, poll ${LONG_POLL} s: `, rows, long, plain),
        figure(
          `${what}: RSS at poll ${LONG_POLL} s by RSS at poll ${SHORT_POLL} s`,
          '',
          long.rssMiB / short.rssMiB,
          POLL_RATIO_TARGET,
        ),
      ],
    };
  },
};

async function hold(
  environment: BenchEnvironment,
  requester: Requester,
  population: Population,
  pollSeconds: number,
): Promise<Usage> {
  const { clock, print, signal } = environment;
  const { mappings } = population;
  print(`${count(mappings)} mappings in memory of the ${requester}, poll ${pollSeconds} s`);
  await using program = await startProgram(environment, requester, {
    populations: [population],
    pollSeconds,
  });
  await untilObserved(environment, program, mappings);
  await sleep(clock, RUN_MS, signal);
  return await program.collected();
}
