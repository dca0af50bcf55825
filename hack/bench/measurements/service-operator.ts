import { sleep } from '../../../internal/base/time/clock.ts';
import type { Program } from '../environment/programs.ts';
import {
  openServices,
  prepareServices,
  SERVICE_MANAGER_LATENCY_MS,
  type ServiceKind,
  type ServicesEnvironment,
  startServiceOperator,
} from '../environment/services.ts';
import { type Cost, startMeter } from '../environment/traffic.ts';
import type { Measurement } from '../measurement.ts';
import { breakdown, count, type FigureRow, figure, figuresOf } from '../report/figures.ts';
import { joinResults, type Result } from '../report/report.ts';

/** Events come after the last object is ready. */
const SETTLE_MS = 2000;
const STEADY_MS = 10_000;
/** Plans of the simulator's catalog. */
const PLANS = { synchronous: 'standard', asynchronous: 'async' } as const;
/** Service Manager's own limit for one client is of this form. */
const RATE_LIMIT = { requests: 600, windowMs: 60_000, retryAfter: 'time' } as const;

/**
 * What SAP's operator took on two cores with the same latency, in s for each object, and its largest RSS in MiB. The
 * targets are a tenth of its times, and no more memory.
 */
const SAP = {
  seconds: {
    synchronous: { instances: 0.128, bindings: 0.091 },
    asynchronous: { instances: 0.28, bindings: 0.231 },
  },
  peakRssMiB: 214,
} as const;
const TIMES_FASTER = 10;
const SERVICE_MANAGER_REQUESTS = 3;
const WRITES = 4;

type Mode = keyof typeof PLANS;

export const serviceOperator: Measurement = {
  name: 'service-operator',
  title: 'ServiceInstances and ServiceBindings until all are ready',
  method:
    `The module \`btp\` runs with default flags and is idle, Service Manager has a latency of ${SERVICE_MANAGER_LATENCY_MS} ms. All instances are created, 32 at a time, then a binding for each; ` +
    'the time runs from the first request until a watch of the bench reports the last of them as ready. Then bindings and instances are deleted in the same way. ' +
    'Operations of the asynchronous plan end at their second poll, which takes at least 20 s at the default poll interval. ' +
    `With the rate limit, Service Manager answers 429 after ${RATE_LIMIT.requests} requests in ${RATE_LIMIT.windowMs / 1000} s. ` +
    'The plain program does not do this work. The targets are a tenth of the times of SAP’s operator, measured with as many objects (asynchronous: 200) on two cores with the same latency, and its memory.',
  run: async (context) => {
    await using environment = await openServices(await context.environment());
    const results: Result[] = [];
    for (const mode of ['synchronous', 'asynchronous'] as const)
      results.push(await measureMode(environment, mode));
    results.push(await measureRateLimit(environment));
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
  readonly seconds: number;
  readonly requests: readonly Call[];
}

async function measureMode(environment: ServicesEnvironment, mode: Mode): Promise<Result> {
  const { options, print } = environment;
  const { services: objects } = options;
  using services = await prepareServices(environment, `services-${mode}`, PLANS[mode], objects);
  await using program = await startServiceOperator(environment);
  const results: Result[] = [];
  const measure = async (
    what: string,
    kind: ServiceKind,
    action: 'create' | 'delete',
    rows: readonly FigureRow<Phase>[],
  ) => {
    print(what);
    const phase = await measured(environment, program, async () => {
      await services[action](kind);
      await (action === 'create' ? services.untilReady(kind) : services.untilGone(kind));
    });
    results.push({ figures: figuresOf(`${what}: `, rows, phase), notes: notesOf(what, phase, objects) });
  };
  for (const kind of ['instances', 'bindings'] as const) {
    const target = (SAP.seconds[mode][kind] * objects) / TIMES_FASTER;
    await measure(`${count(objects)} ${mode} ${kind}`, kind, 'create', rowsOf(objects, target));
  }
  results.push(await measureSteady(environment, program, `${count(objects)} ${mode} instances and bindings`));
  for (const kind of ['bindings', 'instances'] as const)
    await measure(`${count(objects)} ${mode} deletions of ${kind}`, kind, 'delete', rowsOf(objects));
  const { peakRssMiB } = await program.usage();
  const peak = figure(
    `${count(objects)} ${mode} instances and bindings: largest RSS`,
    'MiB',
    peakRssMiB,
    SAP.peakRssMiB,
  );
  return joinResults([...results, { figures: [peak] }]);
}

async function measureSteady(
  environment: ServicesEnvironment,
  program: Program,
  what: string,
): Promise<Result> {
  const { clock, signal } = environment;
  const steady = await measured(environment, program, () => sleep(clock, STEADY_MS, signal));
  const { reads, writes } = steady.traffic.management;
  return {
    figures: [
      figure(
        `${what}, settled: requests to Service Manager in ${STEADY_MS / 1000} s`,
        '',
        steady.requests.length,
        0,
      ),
      figure(`${what}, settled: requests to the API server in ${STEADY_MS / 1000} s`, '', reads + writes),
    ],
  };
}

async function measureRateLimit(environment: ServicesEnvironment): Promise<Result> {
  const { serviceManager, options, print } = environment;
  const { services: objects } = options;
  const what = `${count(objects)} instances at ${RATE_LIMIT.requests} requests in ${RATE_LIMIT.windowMs / 1000} s`;
  print(what);
  using services = await prepareServices(environment, 'services-limited', PLANS.synchronous, objects);
  serviceManager.settings.rateLimit = RATE_LIMIT;
  await using program = await startServiceOperator(environment);
  const phase = await measured(environment, program, async () => {
    await services.create('instances');
    await services.untilReady('instances');
  });
  serviceManager.settings.rateLimit = null;
  const responses = phase.requests
    .map(({ at, durationMs = 0, status }) => ({ at, endedAt: at + durationMs, isRefused: status === 429 }))
    .sort((a, b) => a.endedAt - b.endedAt);
  const refused = responses.filter(({ isRefused }) => isRefused);
  const inRow = refused.filter(({ at }) => responses.findLast(({ endedAt }) => endedAt < at)?.isRefused);
  return {
    figures: [
      figure(`${what}: until all are ready`, 's', phase.seconds),
      figure(
        `${what}: requests to Service Manager for each`,
        '',
        phase.requests.length / objects,
        SERVICE_MANAGER_REQUESTS,
      ),
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

async function measured(
  environment: ServicesEnvironment,
  program: Program,
  work: () => Promise<void>,
): Promise<Phase> {
  const { clock, signal, serviceManager } = environment;
  const cost = await startMeter(environment, 'provider', program);
  const after = serviceManager.requests().at(-1)?.id ?? 0;
  const startedAt = clock.monotonic();
  await program.during(work());
  const seconds = (clock.monotonic() - startedAt) / 1000;
  await sleep(clock, SETTLE_MS, signal);
  return { ...(await cost()), seconds, requests: serviceManager.requests({ after }) };
}

const tokensOf = ({ requests }: Phase) => requests.filter(({ route }) => route === 'grantToken').length;

const rowsOf = (objects: number, target?: number): FigureRow<Phase>[] => [
  ['until all are done', 's', ({ seconds }) => seconds, target],
  ['CPU for each', 'ms', ({ cpuMs }) => cpuMs / objects],
  [
    'requests to Service Manager for each',
    '',
    ({ requests }) => requests.length / objects,
    SERVICE_MANAGER_REQUESTS,
  ],
  ['token requests', '', tokensOf, 1],
  ['API server reads for each', '', ({ traffic }) => traffic.management.reads / objects],
  ['API server writes for each', '', ({ traffic }) => traffic.management.writes / objects, WRITES],
];

function notesOf(what: string, { traffic, requests }: Phase, objects: number): string[] {
  const byRoute: Record<string, number> = {};
  for (const { route = 'unknown' } of requests) byRoute[route] = (byRoute[route] ?? 0) + 1;
  return [
    `${what}, requests to the API server for each: ${breakdown(traffic.management.byKind, objects)}`,
    `${what}, requests to Service Manager for each: ${breakdown(byRoute, objects)}`,
  ];
}
