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
import { takeProfile } from '../measure/cpu-profile.ts';
import type { Usage } from '../measure/measured-process.ts';
import type { Measurement } from '../measurement.ts';
import { type Chart, readyOverTime, type Series } from '../report/chart.ts';
import { breakdown, count, type FigureRow, figure, figuresOf } from '../report/figures.ts';
import { joinResults, type Profile, type Result } from '../report/report.ts';

/** Events come after the last object is ready. */
const SETTLE_MS = 2000;
const STEADY_MS = 10_000;
/** Plans of the simulator's catalog. */
const PLANS = { synchronous: 'standard', asynchronous: 'async' } as const;
/** Service Manager's own limit for one client is of this form. */
const RATE_LIMIT = { requests: 600, windowMs: 60_000, retryAfter: 'time' } as const;

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

type Mode = keyof typeof PLANS;

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
      const plain = await measureAll(environment, 'synchronous', 'plain', objects);
      const provider = await measureAll(environment, 'synchronous', 'provider', objects);
      results.push(resultOf('synchronous', objects, provider, plain));
    }
    if (cpuProf) results.push({ figures: [], profiles: await profileLife(environment, sizes.at(-1) ?? 0) });
    return joinResults(results);
  },
};

export const serviceOperatorPolls: Measurement = {
  name: 'service-operator-polls',
  title: 'ServiceInstances and ServiceBindings of an asynchronous plan, and a rate limit',
  method:
    'As before, with the largest number of objects. Operations of the asynchronous plan end at their second poll, which takes at least 20 s at the default poll interval; the plain program has none. ' +
    `With the rate limit, Service Manager answers 429 after ${RATE_LIMIT.requests} requests in ${RATE_LIMIT.windowMs / 1000} s.`,
  run: async (context) => {
    await using environment = await openServices(await context.environment());
    const results: Result[] = [];
    const objects = context.options.services.at(-1) ?? 0;
    results.push(
      resultOf('asynchronous', objects, await measureAll(environment, 'asynchronous', 'provider', objects)),
    );
    results.push(await measureRateLimit(environment, objects));
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
  mode: Mode,
  requester: Requester,
  objects: number,
): Promise<Life> {
  const { clock, signal, print } = environment;
  const name = `services-${mode}-${objects}-${requester}`;
  using services = await prepareServices(environment, name, PLANS[mode], objects);
  await using program = await startServiceProgram(environment, requester, services);
  const phase = (what: string, work: () => Promise<void>) => {
    print(`${count(objects)} ${mode} ${what} for the ${requester}`);
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

function resultOf(mode: Mode, objects: number, provider: Life, plain?: Life): Result {
  const what = `${count(objects)} ${mode}`;
  const results: Result[] = [];
  for (const kind of ['instances', 'bindings'] as const) {
    const rows = rowsOf(objects, {
      plainSeconds: plain?.[kind].seconds,
      requests: REQUESTS[kind],
      serviceManagerRequests: SERVICE_MANAGER_REQUESTS.create,
    });
    results.push({
      figures: figuresOf(`${what} ${kind}: `, rows, provider[kind], plain?.[kind]),
      notes: notesOf(`${what} ${kind}`, provider[kind], objects),
    });
  }
  const deletions = `${what} deletions of instances, and of their bindings`;
  const rows: FigureRow<Phase>[] = [
    ...rowsOf(2 * objects, {
      plainSeconds: plain?.deletions.seconds,
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
    figures: figuresOf(`${deletions}: `, rows, provider.deletions, plain?.deletions),
    notes: notesOf(deletions, provider.deletions, 2 * objects),
  });
  if (plain !== undefined) results.push({ figures: [], charts: chartsOf(objects, { provider, plain }) });
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
  return [
    {
      name: `services-ready-${objects}`,
      title: `${count(objects)} ServiceInstances: ready over time`,
      x: 's',
      y: 'ready',
      series: requesters.map((requester) => readyOverTime(named(requester), lives[requester].readySeconds)),
    },
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

async function measureRateLimit(environment: ServicesEnvironment, objects: number): Promise<Result> {
  const { serviceManager, print } = environment;
  const what = `${count(objects)} instances at ${RATE_LIMIT.requests} requests in ${RATE_LIMIT.windowMs / 1000} s`;
  print(what);
  using services = await prepareServices(environment, 'services-limited', PLANS.synchronous, objects);
  serviceManager.settings.rateLimit = RATE_LIMIT;
  await using program = await startServiceOperator(environment);
  const phase = await measured(environment, program, 'provider', () => createAll(services, 'instances'));
  serviceManager.settings.rateLimit = null;
  const responses = phase.requests
    .map(({ at, durationMs = 0, status }) => ({ at, endedAt: at + durationMs, isRefused: status === 429 }))
    .sort((a, b) => a.endedAt - b.endedAt);
  const refused = responses.filter(({ isRefused }) => isRefused);
  const inRow = refused.filter(({ at }) => responses.findLast(({ endedAt }) => endedAt < at)?.isRefused);
  return {
    figures: [
      figure(`${what}: until all are ready`, 's', phase.seconds),
      figure(`${what}: requests to Service Manager for each`, '', phase.requests.length / objects, 3),
      figure(`${what}: responses 429`, '', refused.length),
      figure(
        `${what}: 429 for a request sent after another 429, without a success between`,
        '',
        inRow.length,
        0,
      ),
    ],
  };
}

/** Of a process that has just started: instances, bindings, and their deletion. */
async function profileLife(environment: ServicesEnvironment, objects: number): Promise<Profile[]> {
  using services = await prepareServices(environment, 'services-profile', PLANS.synchronous, objects);
  await using program = await startServiceOperator(environment);
  const profiles: Profile[] = [];
  const phase = async (what: string, name: string, work: () => Promise<void>) => {
    const title = `${count(objects)} synchronous ${what}`;
    const ms = PROFILE_MS + PROFILE_MS_FOR_EACH * objects;
    const taking = takeProfile(program, environment, { title, ms, name: `services-${name}` });
    await program.during(work());
    profiles.push(await taking);
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
  readonly plainSeconds: number | undefined;
  readonly requests: number;
  readonly serviceManagerRequests: number;
}

function rowsOf(objects: number, targets: Targets): FigureRow<Phase>[] {
  const { plainSeconds, requests, serviceManagerRequests } = targets;
  const times = objects < MANY ? FEW_TIMES : MANY_TIMES;
  // Operations that are polled need more requests.
  const isBound = plainSeconds !== undefined;
  const bound = (target: number) => (isBound ? target : undefined);
  return [
    ['until all are done', 's', ({ seconds }) => seconds, isBound ? plainSeconds * times : undefined],
    ['CPU for each', 'ms', ({ cpuMs }) => cpuMs / objects, bound(CPU_MS)],
    [
      'requests to Service Manager for each',
      '',
      (phase) => phase.requests.filter((call) => !isToken(call) && !isCatalog(call)).length / objects,
      bound(serviceManagerRequests),
    ],
    ['token requests', '', (phase) => phase.requests.filter(isToken).length, 1],
    ['requests to the API server for each', '', (phase) => requestsOf(phase) / objects, bound(requests)],
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
