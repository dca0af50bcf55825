/** What one program needs for new Runtimes and their changes. */
import { sleep } from '../../../../internal/framework/base/time/clock.ts';
import type { Requester } from '../../environment/environment.ts';
import type { Program } from '../../environment/programs.ts';
import type { Runtimes, RuntimesEnvironment } from '../../environment/runtimes.ts';
import { percentile } from '../../measure/statistics.ts';
import { readyChart } from '../../report/chart.ts';
import { count, type FigureRow, figuresOf } from '../../report/figures.ts';
import type { Result } from '../../report/report.ts';
import { changesAtOnce, changesOneByOne, endOf } from './changes.ts';
import {
  meter,
  notesOf,
  ofGardener,
  ofManagement,
  REST_MS,
  type Requests,
  restFigures,
  sumOf,
} from './requests.ts';

/** Events come after the last status. */
const SETTLE_MS = 3000;
/** Of the change of a Runtime until its Shoot is patched, in ms. */
export const IDLE_P99_MS = 500;
const BURST_TIMES = 1.5;
const CPU_MS = 10;

/** What one program needed for a burst of Runtimes. */
export interface Life {
  readonly shootsSeconds: number;
  readonly readySeconds: number;
  /** The same of each Runtime. */
  readonly eachReadySeconds: readonly number[];
  readonly created: Requests;
  /** From each change to its patch, in ms. */
  readonly idle: readonly number[];
  readonly burst: readonly number[];
  readonly burstSeconds: number;
  readonly changed: Requests;
  readonly rest: Requests;
}

export async function lifeOf(
  environment: RuntimesEnvironment,
  requester: Requester,
  program: Program,
  population: Runtimes,
  size: number,
): Promise<Life> {
  const { clock, signal, print, server } = environment;
  await sleep(clock, SETTLE_MS, signal);
  print(`${count(size)} new Runtimes for the ${requester}`);
  const ofCreation = await meter(environment, requester, program);
  const [startedAt, since] = [clock.monotonic(), clock.now()];
  const names = await program.during(population.create(size));
  await program.during(population.untilReady());
  const eachReadySeconds = [...population.readyAt.values()].map((at) => (at - startedAt) / 1000);
  const readySeconds = Math.max(...eachReadySeconds);
  const creations = server.requests({ route: 'shoots', method: 'POST', status: 201 });
  const shootsSeconds = (Math.max(...creations.map(endOf)) - since) / 1000;
  await sleep(clock, SETTLE_MS, signal);
  const created = await ofCreation();
  print(`changes of Runtimes for the ${requester}`);
  const idle = await changesOneByOne(environment, program, population, names);
  await program.during(population.untilReady());
  await sleep(clock, SETTLE_MS, signal);
  const ofChanges = await meter(environment, requester, program);
  const burst = await changesAtOnce(environment, program, population, names, 12);
  await sleep(clock, SETTLE_MS, signal);
  await program.during(population.untilReady());
  const changed = await ofChanges();
  const ofRest = await meter(environment, requester, program);
  await sleep(clock, REST_MS, signal);
  const rest = await ofRest();
  return {
    ...{ shootsSeconds, readySeconds, eachReadySeconds, created, idle, changed, rest },
    burst: burst.times,
    burstSeconds: burst.seconds,
  };
}

const latencies = (
  what: string,
  times: (life: Life) => readonly number[],
  target?: number,
): FigureRow<Life>[] =>
  ([0.5, 0.95, 0.99] as const).map((share) => [
    `${what}, p${share * 100}`,
    'ms',
    (life: Life) => percentile(times(life), share),
    share === 0.99 ? target : undefined,
  ]);

const requestsForEach = (what: string, size: number, phase: (life: Life) => Requests): FigureRow<Life>[] => [
  [`${what}: requests to Gardener for each`, '', (life) => ofGardener(phase(life)) / size],
  [`${what}: requests to the control plane for each`, '', (life) => ofManagement(phase(life)) / size],
  [`${what}: requests to its cluster for each`, '', (life) => sumOf(phase(life).clusters) / size],
];

export function figuresOfLife(size: number, provider: Life, plain: Life): Result {
  const what = `${count(size)} new Runtimes`;
  const rows: FigureRow<Life>[] = [
    [`${what} until all Shoots exist`, 's', ({ shootsSeconds }) => shootsSeconds],
    [`${what} until all are Ready`, 's', ({ readySeconds }) => readySeconds],
    ['new Runtime: CPU for each', 'ms', ({ created }) => created.cpuMs / size, CPU_MS],
    ...requestsForEach('new Runtime', size, ({ created }) => created),
    ...latencies('change of a Runtime until its Shoot is patched, idle', ({ idle }) => idle, IDLE_P99_MS),
    ...latencies(
      `the same in a burst of ${count(size)}`,
      ({ burst }) => burst,
      BURST_TIMES * percentile(plain.burst, 0.99),
    ),
    [
      `burst of ${count(size)} changes until all are patched`,
      's',
      ({ burstSeconds }) => burstSeconds,
      BURST_TIMES * plain.burstSeconds,
    ],
    ['changed Runtime: CPU for each', 'ms', ({ changed }) => changed.cpuMs / size],
    ...requestsForEach('changed Runtime', size, ({ changed }) => changed),
  ];
  const notes = [
    ...notesOf('new Runtime', provider.created, size),
    ...notesOf('changed Runtime', provider.changed, size),
    ...notesOf(`at rest, in ${REST_MS / 1000} s`, provider.rest, size),
  ];
  const charts = [
    readyChart('runtimes-ready', what, {
      provider: provider.eachReadySeconds,
      'plain program': plain.eachReadySeconds,
    }),
  ];
  const figures = [...figuresOf('', rows, provider, plain), ...restFigures(size, provider.rest)];
  return { figures, notes, charts };
}
