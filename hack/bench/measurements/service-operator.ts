import { sleep } from '../../../internal/framework/base/time/clock.ts';
import type { Requester } from '../environment/environment.ts';
import type { Program } from '../environment/programs.ts';
import {
  openServices,
  prepareServices,
  SERVICE_MANAGER_LATENCY_MS,
  type ServiceKind,
  type Services,
  type ServicesEnvironment,
  startServiceOperator,
  startServiceProgram,
} from '../environment/services.ts';
import { type Cost, startMeter } from '../environment/traffic.ts';
import { profileDuring } from '../measure/cpu-profile.ts';
import type { Usage } from '../measure/measured-process.ts';
import type { Measurement } from '../measurement.ts';
import { type Chart, readyChart, type Series } from '../report/chart.ts';
import { breakdown, count, type FigureRow, figure, figuresOf } from '../report/figures.ts';
import { joinResults, type Profile, type Result } from '../report/report.ts';

/** Events come after the last object is ready. */
const SETTLE_MS = 2000;
const STEADY_MS = 10_000;
/** Times as multiples of those of the plain program, by the number of objects: at the start much is compiled. */
const FEW_TIMES = 1.3;
const MANY_TIMES = 1.2;
const MANY = 1000;
/** Requests to the API server for each object. */
const REQUESTS = { instances: 3, bindings: 4, deletions: 2.5 } as const;
const SERVICE_MANAGER_REQUESTS = { create: 2, delete: 1 } as const;
const CPU_MS = 6;
/** MiB, with a thousand instances and bindings. */
const RSS_MIB = 110;
const OWN_MIB = 60;

export const serviceOperator: Measurement = {
  name: 'service-operator',
  title: 'ServiceInstances and ServiceBindings until all are ready',
  method:
    `The module \`btp\` runs with default flags and is idle, Service Manager has a latency of ${SERVICE_MANAGER_LATENCY_MS} ms. All instances are created, 32 at a time, then a binding for each; ` +
    'the time runs from the first request until a watch of the bench reports the last of them as ready. Then all of them are deleted at once, each instance right before its binding. ' +
    'The plain program does the same for objects of its own, one after the other, with as many workers and connections: store the finalizer, look the resource up in Service Manager, create it, write Secret, status and event. It deletes an instance after its bindings. ' +
    'Requests to the API server are those for objects: the lease, and lists and watches, which all objects share, are in the notes.',
  run: async (context) => {
    await using environment = await openServices(await context.environment());
    const { services: sizes, cpuProf } = context.options;
    const results: Result[] = [];
    for (const objects of sizes) {
      const plain = await measureAll(environment, 'plain', objects);
      const provider = await measureAll(environment, 'provider', objects);
      results.push(resultOf(objects, provider, plain));
    }
    if (cpuProf) results.push({ figures: [], profiles: await profileLife(environment, sizes.at(-1) ?? 0) });
    return joinResults(results);
  },
};

/** A request to Service Manager. Times in ms. */
interface Call {
  readonly route?: string;
  readonly status?: number;
  readonly at: number;
  readonly durationMs?: number;
}

interface Phase extends Cost {
  /** By the clock's monotonic time in ms. */
  readonly startedAt: number;
  readonly seconds: number;
  readonly requests: readonly Call[];
}

/** What one program needed for all objects. */
interface Life {
  readonly instances: Phase;
  readonly bindings: Phase;
  /** When each instance was ready. */
  readonly readySeconds: readonly number[];
  readonly steady: Phase;
  /** When all objects are settled. */
  readonly memory: Usage;
  readonly deletions: Phase;
  readonly peakRssMiB: number;
}

async function measureAll(
  environment: ServicesEnvironment,
  requester: Requester,
  objects: number,
): Promise<Life> {
  const { clock, signal, print } = environment;
  const name = `services-${objects}-${requester}`;
  using services = await prepareServices(environment, name, objects);
  await using program = await startServiceProgram(environment, requester, services);
  const phase = (what: string, work: () => Promise<void>) => {
    print(`${count(objects)} ${what} for the ${requester}`);
    return measured(environment, program, requester, work);
  };
  // What its start still has to do is not what is measured.
  await sleep(clock, SETTLE_MS, signal);
  const instances = await phase('instances', () => createAll(services, 'instances'));
  const bindings = await phase('bindings', () => createAll(services, 'bindings'));
  const readySeconds = services.readyTimes('instances').map((at) => (at - instances.startedAt) / 1000);
  const steady = await phase('instances and bindings, settled', () => sleep(clock, STEADY_MS, signal));
  const memory = await program.collected();
  const deletions = await phase('deletions', () => deleteAll(services));
  const { peakRssMiB } = await program.usage();
  return { instances, bindings, readySeconds, steady, memory, deletions, peakRssMiB };
}

async function createAll(services: Services, kind: ServiceKind): Promise<void> {
  await services.create(kind);
  await services.untilReady(kind);
}

function resultOf(objects: number, provider: Life, plain: Life): Result {
  const what = `${count(objects)} synchronous`;
  const results: Result[] = [];
  for (const kind of ['instances', 'bindings'] as const) {
    const rows = rowsOf(objects, {
      plainSeconds: plain[kind].seconds,
      requests: REQUESTS[kind],
      serviceManagerRequests: SERVICE_MANAGER_REQUESTS.create,
    });
    results.push({
      figures: figuresOf(`${what} ${kind}: `, rows, provider[kind], plain[kind]),
      notes: notesOf(`${what} ${kind}`, provider[kind], objects),
    });
  }
  const deletions = `${what} deletions of instances, and of their bindings`;
  const rows: FigureRow<Phase>[] = [
    ...rowsOf(2 * objects, {
      plainSeconds: plain.deletions.seconds,
      requests: REQUESTS.deletions,
      serviceManagerRequests: SERVICE_MANAGER_REQUESTS.delete,
    }),
    [
      'deletions that Service Manager refused',
      '',
      ({ requests }) => requests.filter(({ status = 0 }) => status >= 400).length,
      0,
    ],
  ];
  results.push({
    figures: figuresOf(`${deletions}: `, rows, provider.deletions, plain.deletions),
    notes: notesOf(deletions, provider.deletions, 2 * objects),
  });
  results.push({ figures: [], charts: chartsOf(objects, { provider, plain }) });
  const settled = `${what} instances and bindings, settled`;
  const { steady } = provider;
  results.push({
    figures: [
      figure(
        `${settled}: requests to Service Manager in ${STEADY_MS / 1000} s`,
        '',
        steady.requests.length,
        0,
      ),
      figure(`${settled}: requests to the API server in ${STEADY_MS / 1000} s`, '', requestsOf(steady), 0),
      ...figuresOf(
        `${settled}: `,
        [
          ['RSS after a collection', 'MiB', ({ memory }) => memory.rssMiB, RSS_MIB],
          ['memory of its own', 'MiB', ({ memory }) => memory.ownMiB, OWN_MIB],
          ['heap after a collection', 'MiB', ({ memory }) => memory.heapMiB],
          ['largest RSS until the end', 'MiB', ({ peakRssMiB }) => peakRssMiB],
        ] satisfies FigureRow<Life>[],
        provider,
        plain,
      ),
    ],
  });
  return joinResults(results);
}

function chartsOf(objects: number, lives: Readonly<Record<Requester, Life>>): Chart[] {
  const requesters = ['provider', 'plain'] as const;
  const named = (requester: Requester) => (requester === 'plain' ? 'plain program' : requester);
  const byObjects = (figureOf: (life: Life) => number): Series[] =>
    requesters.map((requester) => ({
      name: named(requester),
      points: [[objects, figureOf(lives[requester])]],
    }));
  const times = { provider: lives.provider.readySeconds, 'plain program': lives.plain.readySeconds };
  return [
    ...(objects < MANY
      ? []
      : [readyChart(`services-ready-${objects}`, `${count(objects)} ServiceInstances`, times)]),
    {
      name: 'services-cpu',
      title: 'CPU time for each ServiceInstance, by their number',
      x: 'ServiceInstances',
      y: 'ms',
      series: byObjects(({ instances }) => instances.cpuMs / objects),
    },
    {
      name: 'services-memory',
      title: 'Memory by the number of ServiceInstances and of ServiceBindings',
      x: 'of each',
      y: 'MiB',
      series: byObjects(({ memory }) => memory.rssMiB),
    },
  ];
}

/** Of a process that has just started: instances, bindings, and their deletion. */
async function profileLife(environment: ServicesEnvironment, objects: number): Promise<Profile[]> {
  using services = await prepareServices(environment, 'services-profile', objects);
  await using program = await startServiceOperator(environment);
  const profiles: Profile[] = [];
  const phase = async (what: string, name: string, work: () => Promise<void>) => {
    const title = `${count(objects)} synchronous ${what}`;
    const ms = PROFILE_MS + PROFILE_MS_FOR_EACH * objects;
    const profile = { title, ms, name: `services-${name}` };
    profiles.push(await profileDuring(program, environment, profile, work));
  };
  await phase('instances', 'instances', () => createAll(services, 'instances'));
  await phase('bindings', 'bindings', () => createAll(services, 'bindings'));
  await phase('deletions of instances, and of their bindings', 'deletions', () => deleteAll(services));
  return profiles;
}
/** As long as a slow machine takes. */
const PROFILE_MS = 4000;
const PROFILE_MS_FOR_EACH = 20;

async function deleteAll(services: Services): Promise<void> {
  await services.deleteAll();
  await services.untilGone('bindings');
  await services.untilGone('instances');
}

async function measured(
  environment: ServicesEnvironment,
  program: Program,
  requester: Requester,
  work: () => Promise<void>,
): Promise<Phase> {
  const { clock, signal, serviceManager } = environment;
  const cost = await startMeter(environment, requester, program);
  const after = serviceManager.requests().at(-1)?.id ?? 0;
  const startedAt = clock.monotonic();
  await program.during(work());
  const seconds = (clock.monotonic() - startedAt) / 1000;
  await sleep(clock, SETTLE_MS, signal);
  return { ...(await cost()), startedAt, seconds, requests: serviceManager.requests({ after }) };
}

const isToken = ({ route }: Call): boolean => route === 'grantToken';
/** Of the plan of all objects, once. */
const isCatalog = ({ route = '' }: Call): boolean => ['listOfferings', 'listPlans'].includes(route);

/** Requests to the API server for objects: not for the lease, and not those that all objects share. */
function requestsOf({ traffic }: Phase, verbs?: readonly string[]): number {
  return Object.entries(traffic.management.byKind).reduce((total, [kind, requests]) => {
    const [verb = '', resource = ''] = kind.split(' ');
    const isOfObject = resource !== 'leases' && !['list', 'watch'].includes(verb);
    return isOfObject && (verbs?.includes(verb) ?? true) ? total + requests : total;
  }, 0);
}

/** The most of these that overlap. */
const mostAtOnce = (calls: readonly Call[]): number => {
  const changes = calls.flatMap(({ at, durationMs = 0 }) => [
    [at, 1] as const,
    [at + durationMs, -1] as const,
  ]);
  let now = 0;
  return changes
    .toSorted(([a, one], [b, other]) => a - b || one - other)
    .reduce((most, [, change]) => {
      now += change;
      return Math.max(most, now);
    }, 0);
};

interface Targets {
  readonly plainSeconds: number;
  readonly requests: number;
  readonly serviceManagerRequests: number;
}

function rowsOf(objects: number, targets: Targets): FigureRow<Phase>[] {
  const { plainSeconds, requests, serviceManagerRequests } = targets;
  const times = objects < MANY ? FEW_TIMES : MANY_TIMES;
  return [
    ['until all are done', 's', ({ seconds }) => seconds, plainSeconds * times],
    ['CPU for each', 'ms', ({ cpuMs }) => cpuMs / objects, CPU_MS],
    [
      'requests to Service Manager for each',
      '',
      (phase) => phase.requests.filter((call) => !isToken(call) && !isCatalog(call)).length / objects,
      serviceManagerRequests,
    ],
    ['token requests', '', (phase) => phase.requests.filter(isToken).length, 1],
    ['requests to the API server for each', '', (phase) => requestsOf(phase) / objects, requests],
    ['of these reads', '', (phase) => requestsOf(phase, ['get']) / objects],
    ['most requests to Service Manager in flight', '', ({ requests: sent }) => mostAtOnce(sent)],
  ];
}

function notesOf(what: string, { traffic, requests }: Phase, objects: number): string[] {
  const byRoute: Record<string, number> = {};
  for (const { route = 'unknown' } of requests) byRoute[route] = (byRoute[route] ?? 0) + 1;
  return [
    `${what}, requests to the API server for each: ${breakdown(traffic.management.byKind, objects)}`,
    `${what}, requests to Service Manager for each: ${breakdown(byRoute, objects)}`,
  ];
}
