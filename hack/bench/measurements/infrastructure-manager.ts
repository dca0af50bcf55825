import { readFile } from 'node:fs/promises';
import { sleep } from '../../../internal/base/time/clock.ts';
import { sumIn } from '../../../test/environment/metrics-page.ts';
import { servedAt } from '../../demo/provider/provider-process.ts';
import type { Requester } from '../environment/environment.ts';
import { launchPlain, type Program } from '../environment/programs.ts';
import {
  manageOptions,
  openPopulation,
  openRuntimes,
  type Runtimes,
  type RuntimesEnvironment,
  startManager,
} from '../environment/runtimes.ts';
import { type Cost, startMeter } from '../environment/traffic.ts';
import { takeProfile } from '../measure/cpu-profile.ts';
import { inParallel } from '../measure/in-parallel.ts';
import type { Usage } from '../measure/measured-process.ts';
import { percentile } from '../measure/statistics.ts';
import type { Measurement } from '../measurement.ts';
import {
  breakdown,
  count,
  type Figure,
  type FigureRow,
  figure,
  figuresOf,
  number,
  quantity,
} from '../report/figures.ts';
import { joinResults, type Profile, type Result } from '../report/report.ts';

/** Events come after the last status. */
const SETTLE_MS = 3000;
const REST_MS = 20_000;
/** Changes one after the other. */
const IDLE_CHANGES = 100;
const PAUSE_MS = 50;

/** Of the change of a Runtime until its Shoot is patched, in ms. */
const IDLE_P99_MS = 500;
const BURST_TIMES = 1.5;
const RESTART_S = 60;
const RSS_MIB = 250;
const CPU_MS = 10;
const PROFILE_MS = 15_000;

export const infrastructureManager: Measurement = {
  name: 'infrastructure-manager',
  title: 'Runtimes until they are Ready, changed, and at rest',
  method:
    'The module `infrastructure-manager` with default flags, a simulated Gardener whose operations take no time, and a simulated cluster for each Runtime, which run in the process of the bench. ' +
    'Runtimes are created 32 at a time; the time runs from the first request until Gardener has all Shoots, and until a watch of the bench has reported all as Ready. ' +
    'A change is that of a worker pool; its time runs until Gardener has answered to the patch. Idle: one change after the other; burst: all at once. ' +
    'The plain program sends the same requests for Runtimes of its own, with the same rendering, as many workers and connections; at a restart it lists Runtimes and Shoots and compares them. ' +
    'Of the settled Runtimes, those beyond the burst are stored as the module leaves them. A restart ends when there were as many reconciles as Runtimes, each of which compares a Runtime with its Shoot; then the cluster of each is checked.',
  run: async (context) => {
    const { runtimes: settled, runtimesBurst: burst, cpuProf } = context.options;
    const environment = await context.environment();
    const results: Result[] = [];
    const keep = (result: Result) => {
      results.push(result);
      // The measurement is long; a failure at its end must not lose all.
      for (const { name, value, unit, plain } of result.figures)
        context.print(
          `${name}: ${quantity(value, unit)}${plain === undefined ? '' : `, plain ${number(plain)}`}`,
        );
    };
    let plain: Life;
    {
      await using ofPlain = await openRuntimes(environment, 'plain');
      using population = openPopulation(ofPlain);
      await using program = await startManager(ofPlain, 'plain');
      plain = await lifeOf(ofPlain, 'plain', program, population, burst);
    }
    await using ofProvider = await openRuntimes(environment, 'bench');
    using population = openPopulation(ofProvider);
    {
      await using program = await startManager(ofProvider, 'provider');
      keep(figuresOfLife(burst, await lifeOf(ofProvider, 'provider', program, population, burst), plain));
    }
    context.print(`storing Runtimes until ${count(settled)} are settled`);
    const names = await population.settle(Math.max(0, settled - burst));
    const size = Math.max(settled, burst);
    const plainSeconds = await compareWithPlain(ofProvider, size);
    const before = {
      startedAt: context.clock.monotonic(),
      request: ofProvider.server.requests().at(-1)?.id ?? 0,
      clusterRequests: sumOf(ofProvider.clusters.requests()),
    };
    await using program = await startManager(ofProvider, 'provider');
    keep(await restartOver(ofProvider, program, { size, before, plainSeconds, cpuProf }));
    keep(await atScale(ofProvider, program, population, size, names));
    return joinResults(results);
  },
};

/** What one program needed for a burst of Runtimes. */
interface Life {
  readonly shootsSeconds: number;
  readonly readySeconds: number;
  readonly created: Requests;
  /** From each change to its patch, in ms. */
  readonly idle: readonly number[];
  readonly burst: readonly number[];
  readonly burstSeconds: number;
  readonly changed: Requests;
  readonly rest: Requests;
}

/** What a phase cost, and what it sent. */
interface Requests extends Cost {
  readonly gardener: Readonly<Record<string, number>>;
  readonly clusters: Readonly<Record<string, number>>;
}

async function lifeOf(
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
  const readySeconds = (Math.max(...population.readyAt.values()) - startedAt) / 1000;
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
    ...{ shootsSeconds, readySeconds, created, idle, changed, rest },
    burst: burst.times,
    burstSeconds: burst.seconds,
  };
}

const endOf = ({ at, durationMs = 0 }: { readonly at: number; readonly durationMs?: number }) =>
  at + durationMs;

/** Patches of a Shoot by the program; in ms since the epoch. */
const patchesOf = ({ server }: RuntimesEnvironment, name: string) =>
  server
    .requests({ route: 'shoots', method: 'PATCH', instance: name, status: 200 })
    .map(endOf)
    .sort((a, b) => a - b);

async function changesOneByOne(
  environment: RuntimesEnvironment,
  program: Program,
  population: Runtimes,
  names: readonly string[],
): Promise<number[]> {
  const { clock, signal } = environment;
  const times: number[] = [];
  for (const name of names.slice(0, IDLE_CHANGES)) {
    const at = clock.now();
    await program.during(population.change(name, 21));
    times.push((await untilPatched(environment, name, at)) - at);
    await sleep(clock, PAUSE_MS, signal);
  }
  return times;
}

async function untilPatched(environment: RuntimesEnvironment, name: string, since: number): Promise<number> {
  const { clock, signal } = environment;
  const deadline = clock.monotonic() + 120_000;
  for (;;) {
    const patched = patchesOf(environment, name).find((end) => end >= since);
    if (patched !== undefined) return patched;
    if (clock.monotonic() > deadline) throw new Error(`the Shoot of ${name} was not patched`);
    await sleep(clock, 20, signal);
  }
}

async function changesAtOnce(
  environment: RuntimesEnvironment,
  program: Program,
  population: Runtimes,
  names: readonly string[],
  maximum: number,
): Promise<{ readonly times: readonly number[]; readonly seconds: number }> {
  environment.print(`${count(names.length)} changes at once`);
  const { clock } = environment;
  const since = clock.now();
  const sent = new Map<string, number>();
  await inParallel(names, async (name) => {
    sent.set(name, clock.now());
    await program.during(population.change(name, maximum));
  });
  const ends: number[] = [];
  const times: number[] = [];
  for (const name of names) {
    const at = sent.get(name) ?? since;
    const end = await untilPatched(environment, name, at);
    ends.push(end);
    times.push(end - at);
  }
  return { times, seconds: (Math.max(...ends) - since) / 1000 };
}

async function meter(
  environment: RuntimesEnvironment,
  requester: Requester,
  program: Program,
): Promise<() => Promise<Requests>> {
  const { server, clusters } = environment;
  const cost = await startMeter(environment, requester, program);
  const after = server.requests().at(-1)?.id ?? 0;
  const before = clusters.requests();
  return async () => {
    const gardener: Record<string, number> = {};
    for (const { method, route = '', query } of server.requests({ after })) {
      const kind = `${query.watch === undefined ? method : 'WATCH'} ${route}`;
      gardener[kind] = (gardener[kind] ?? 0) + 1;
    }
    const now = Object.entries(clusters.requests());
    return {
      ...(await cost()),
      gardener,
      clusters: Object.fromEntries(now.map(([kind, sent]) => [kind, sent - (before[kind] ?? 0)])),
    };
  };
}

const sumOf = (
  requests: Readonly<Record<string, number>>,
  isCounted: (kind: string) => boolean = () => true,
) => Object.entries(requests).reduce((sum, [kind, times]) => (isCounted(kind) ? sum + times : sum), 0);
/** Without the lease, lists and watches, which all objects share. */
const ofManagement = ({ traffic }: Requests): number =>
  sumOf(traffic.management.byKind, (kind) => !/^(list|watch) | leases|selfsubject|^get \//.test(kind));
const ofGardener = ({ gardener }: Requests): number => sumOf(gardener, (kind) => !kind.startsWith('WATCH'));

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

function figuresOfLife(size: number, provider: Life, plain: Life): Result {
  const what = `${count(size)} new Runtimes`;
  const rows: FigureRow<Life>[] = [
    [`${what} until all Shoots exist`, 's', ({ shootsSeconds }) => shootsSeconds],
    [`${what} until all are Ready`, 's', ({ readySeconds }) => readySeconds],
    ['new Runtime: CPU for each', 'ms', ({ created }) => created.cpuMs / size, CPU_MS],
    ['new Runtime: requests to Gardener for each', '', ({ created }) => ofGardener(created) / size],
    [
      'new Runtime: requests to the control plane for each',
      '',
      ({ created }) => ofManagement(created) / size,
    ],
    ['new Runtime: requests to its cluster for each', '', ({ created }) => sumOf(created.clusters) / size],
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
    ['changed Runtime: requests to Gardener for each', '', ({ changed }) => ofGardener(changed) / size],
    [
      'changed Runtime: requests to the control plane for each',
      '',
      ({ changed }) => ofManagement(changed) / size,
    ],
  ];
  const notes = [
    ...notesOf('new Runtime', provider.created, size),
    ...notesOf('changed Runtime', provider.changed, size),
  ];
  return { figures: [...figuresOf('', rows, provider, plain), ...restFigures(size, provider.rest)], notes };
}

const notesOf = (what: string, { traffic, gardener, clusters }: Requests, size: number): string[] => [
  `${what}, requests to the control plane for each: ${breakdown(traffic.management.byKind, size)}`,
  `${what}, requests to Gardener for each: ${breakdown(gardener, size)}`,
  `${what}, requests to its cluster for each: ${breakdown(clusters, size)}`,
];

const restFigures = (size: number, rest: Requests): Figure[] => [
  figure(
    `${count(size)} Runtimes at rest: requests to Gardener in ${REST_MS / 1000} s`,
    '',
    ofGardener(rest),
    0,
  ),
  figure(
    `${count(size)} Runtimes at rest: requests to the control plane in ${REST_MS / 1000} s`,
    '',
    ofManagement(rest),
    0,
  ),
];

/** The largest number of Runtimes, all settled. */
async function atScale(
  environment: RuntimesEnvironment,
  program: Program,
  population: Runtimes,
  size: number,
  names: readonly string[],
): Promise<Result> {
  const { clock, signal, print } = environment;
  print(`${count(size)} Runtimes at rest`);
  const memory: Usage = await program.collected();
  const ofRest = await meter(environment, 'provider', program);
  await sleep(clock, REST_MS, signal);
  const rest = await ofRest();
  const idle = await changesOneByOne(environment, program, population, names);
  await program.during(population.untilReady());
  const { peakRssMiB } = await program.usage();
  const of = `${count(size)} Runtimes, settled`;
  return {
    figures: [
      ...restFigures(size, rest),
      figure(`${of}: RSS after a collection`, 'MiB', memory.rssMiB, RSS_MIB),
      figure(`${of}: heap after a collection`, 'MiB', memory.heapMiB),
      figure(`${of}: largest RSS until then`, 'MiB', peakRssMiB),
      ...(idle.length === 0
        ? []
        : ([0.5, 0.95, 0.99] as const).map((share) =>
            figure(
              `${of}: change until its Shoot is patched, idle, p${share * 100}`,
              'ms',
              percentile(idle, share),
              share === 0.99 ? IDLE_P99_MS : undefined,
            ),
          )),
    ],
    notes: notesOf(`${of}, in ${REST_MS / 1000} s`, rest, size),
  };
}

/** How long the plain program takes to compare all Runtimes with their Shoots, from its launch on. */
async function compareWithPlain(environment: RuntimesEnvironment, size: number): Promise<number> {
  const startedAt = environment.clock.monotonic();
  await using plain = await launchPlain(environment, {});
  const compared = await plain.ask<number>('compare', await manageOptions(environment));
  if (compared !== size) throw new Error(`${compared} of ${size} Runtimes were compared`);
  return (environment.clock.monotonic() - startedAt) / 1000;
}

interface Restart {
  readonly size: number;
  /** Before the launch. */
  readonly before: {
    readonly startedAt: number;
    readonly request: number;
    readonly clusterRequests: number;
  };
  readonly plainSeconds: number;
  readonly cpuProf: boolean;
}

/** From the launch of a program on. */
async function restartOver(
  environment: RuntimesEnvironment,
  program: Program,
  { size, before, plainSeconds, cpuProf }: Restart,
): Promise<Result> {
  const { clock, signal, print, server, clusters } = environment;
  print(`restart over ${count(size)} Runtimes`);
  const profiling: Promise<Profile> | undefined = cpuProf
    ? takeProfile(program, environment, {
        ...{ name: 'infrastructure-manager', ms: PROFILE_MS },
        title: `A restart over ${count(size)} Runtimes`,
      })
    : undefined;
  const reconciled = async () => {
    const url = servedAt(await readFile(program.logFile, 'utf8'));
    const page = await (await fetch(`${url}/metrics`)).text();
    return sumIn(page, 'controller_runtime_reconcile_total', 'controller="runtime-controller"') ?? 0;
  };
  while ((await program.during(reconciled())) < size) await sleep(clock, 250, signal);
  const sinceLaunch = () => (clock.monotonic() - before.startedAt) / 1000;
  const seconds = sinceLaunch();
  const sent = () => sumOf(clusters.requests()) - before.clusterRequests;
  // Issuers and administrators of each.
  while (sent() < 2 * size) await program.during(sleep(clock, 250, signal));
  const checkedSeconds = sinceLaunch();
  const profiles = profiling === undefined ? [] : [await profiling];
  const requests = server
    .requests({ after: before.request })
    .filter(({ query }) => query.watch === undefined);
  const { cpuMs, peakRssMiB } = await program.usage();
  const of = `restart over ${count(size)} Runtimes`;
  return {
    figures: [
      { ...figure(`${of} until each was compared`, 's', seconds, RESTART_S), plain: plainSeconds },
      figure(`${of} until the cluster of each was checked too`, 's', checkedSeconds),
      figure(`${of}: requests to Gardener, lists included`, '', requests.length),
      figure(
        `${of}: requests to clusters for each`,
        '',
        (sumOf(clusters.requests()) - before.clusterRequests) / size,
      ),
      figure(`${of}: CPU for each`, 'ms', cpuMs / size),
      figure(`${of}: largest RSS`, 'MiB', peakRssMiB),
    ],
    profiles,
  };
}
