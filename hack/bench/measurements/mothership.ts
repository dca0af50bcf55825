import { sleep } from '../../../internal/framework/base/time/clock.ts';
import { eventually } from '../../../test/environment/eventually.ts';
import { profileDuring } from '../measure/cpu-profile.ts';
import { inParallel, range } from '../measure/in-parallel.ts';
import { median, percentile } from '../measure/statistics.ts';
import type { Measurement, MeasurementContext } from '../measurement.ts';
import {
  type LoadEnvironment,
  openLoadEnvironment,
  report,
  type Task,
} from '../mothership/load-environment.ts';
import { pageTimes } from '../mothership/page-times.ts';
import { queryTimes } from '../mothership/query-times.ts';
import { readyChart } from '../report/chart.ts';
import { type Figure, figure } from '../report/figures.ts';
import type { Profile, Result } from '../report/report.ts';

const CLUSTERS = 200;
const OPERATIONS = 10;
const WORK_MS = 1000;
const FAULTS = 0.05;
const REST_MS = 20_000;
/** Requests at the same time. */
const CLIENTS = 16;
const CALLBACKS = 1000;
/** One operation of a cluster after the other. */
const MAX_PARALLEL = 1;
const FORCED_S = (OPERATIONS * WORK_MS) / 1000;
/** Of the Go program on two cores: s, statements and ms for each operation, statements a second, MiB. */
const GO =
  'p95 180 s, 91.5 % ready, 35 statements and 8 ms of CPU for each operation, 2 statements a second at rest, 113 MiB';

export const mothership: Measurement = {
  name: 'mothership',
  title: 'Mothership: 200 reconciliations at the same time',
  method:
    `\`mothership start\` with Postgres and default flags, except \`--max-parallel ${MAX_PARALLEL}\`; ${CLUSTERS} clusters are registered, ${CLIENTS} at a time, each with ${OPERATIONS} operations of ${WORK_MS / 1000} s at component reconcilers of the bench, ` +
    `which refuse ${FAULTS * 100} % of the tasks or close the connection. Durations and the limit force ${FORCED_S} s. Before, as many clusters are registered while operations of ${CLUSTERS} others are running, without faults. Then a cluster whose components answer at once, and ${REST_MS / 1000} s without work. Statements are counted by a proxy in front of Postgres. Times of statements are those of EXPLAIN ANALYZE, the best of three. The page for operators is loaded on loopback by Chromium with an empty profile, until its data are shown: medians of 7; without a browser only its data are measured. Beside it is the least page of its kind, one script that shows the answer to one request. The plain program does nothing else of this. The Go program: ${GO}.`,
  run: async (context) => {
    await using environment = await openLoadEnvironment(context, [`--max-parallel=${MAX_PARALLEL}`]);
    const figures: Figure[] = [];
    figures.push(...(await atOnce(environment)));
    figures.push(...(await requests(environment, context)));
    figures.push(...(await registrationsMeanwhile(environment, context)));
    const { figures: ofLoad, charts } = await load(environment, context);
    figures.push(...ofLoad);
    figures.push(...(await atRest(environment, context)));
    context.print('statements with two weeks of history');
    figures.push(...(await queryTimes()));
    context.print('the page for operators with 10,000 clusters');
    figures.push(...(await pageTimes(context)));
    const profiles = context.options.cpuProf ? [await profileLoad(environment, context)] : [];
    return { figures, profiles, charts };
  },
};

/** What is read of a reconciliation of the API. */
interface Run {
  readonly runtimeID: string;
  readonly status: string;
  readonly finished: boolean;
  /** RFC 3339. */
  readonly updated: string;
}

/** One cluster whose components answer at once. */
async function atOnce(environment: LoadEnvironment): Promise<Figure[]> {
  const seconds: number[] = [];
  for (const index of range(5)) seconds.push(await untilReady(environment, `immediate-${index}`));
  return [figure('registration to ready, components that answer at once', 's', median(seconds), 1)];
}

/** What registrations and callbacks cost. Each registration starts a run of one operation, whose task is sent. */
async function requests(environment: LoadEnvironment, { print }: MeasurementContext): Promise<Figure[]> {
  const { process, components } = environment;
  print(`${CLUSTERS} registrations, and ${CALLBACKS} callbacks`);
  components.holds = true;
  const cpuOf = async (work: () => Promise<unknown>) => {
    const before = await process.usage();
    await work();
    return (await process.usage()).cpuMs - before.cpuMs;
  };
  const registrations = await cpuOf(async () => {
    await inParallel(range(CLUSTERS), (index) => register(environment, `requests-${index}`, 1), CLIENTS);
    await eventually(() => {
      if (components.held.length < CLUSTERS) throw new Error(`${components.held.length} tasks were sent`);
    });
  });
  const tasks = [...components.held];
  const running = await cpuOf(() =>
    inParallel(range(CALLBACKS), (index) => report(tasks[index % tasks.length] as Task, 'running'), CLIENTS),
  );
  const ends = await cpuOf(async () => {
    await inParallel(tasks, (task) => report(task, 'success'), CLIENTS);
    await untilEnded(environment, 'requests');
  });
  components.holds = false;
  return [
    figure(
      'CPU for each registration, with the start of its run and one task',
      'ms',
      registrations / CLUSTERS,
    ),
    figure('CPU for each callback of an operation that runs', 'ms', running / CALLBACKS, 2),
    figure('CPU for each callback that ends a run', 'ms', ends / CLUSTERS),
  ];
}

/** Registrations, and callbacks at the same time, while an operation of each of as many other clusters is running. */
async function registrationsMeanwhile(
  environment: LoadEnvironment,
  { clock, print, signal }: MeasurementContext,
): Promise<Figure[]> {
  const { components } = environment;
  print(`${CLUSTERS} registrations while the runs of ${CLUSTERS} other clusters go on`);
  components.workMs = WORK_MS;
  const { ended } = await registerAll(environment, 'running');
  // Their callbacks come from now on.
  await sleep(clock, WORK_MS, signal);
  components.callbackMs = [];
  const { registered, registeredMs, ended: endedToo } = await registerAll(environment, 'meanwhile');
  const callbackMs = [...components.callbackMs];
  const latencies = [...registered.values()].map(({ tookMs }) => tookMs);
  await Promise.all([ended(), endedToo()]);
  components.workMs = 0;
  return [
    figure(`${CLUSTERS} registrations while runs go on`, 's', registeredMs / 1000, 3),
    figure('one of them, p95', 'ms', percentile(latencies, 0.95), 250),
    figure('a callback meanwhile, p95', 'ms', percentile(callbackMs, 0.95), 250),
    figure('callbacks meanwhile', '', callbackMs.length),
  ];
}

async function load(
  environment: LoadEnvironment,
  { print }: MeasurementContext,
): Promise<Required<Pick<Result, 'figures' | 'charts'>>> {
  const { process, components } = environment;
  components.workMs = WORK_MS;
  components.faults = FAULTS;
  print(`${CLUSTERS} clusters with ${OPERATIONS} operations of ${WORK_MS / 1000} s`);
  const before = { ...(await process.usage()), statements: environment.statements(), at: Date.now() };
  const { registered, ended: untilAllEnded } = await registerAll(environment, 'cluster');
  const { failed, ended } = await untilAllEnded();
  const after = { ...(await process.usage()), statements: environment.statements() };
  const operations = CLUSTERS * OPERATIONS;
  const waits = [...registered].map(
    ([id, { answered }]) => Math.max(0, (components.firstTasks.get(id) ?? answered) - answered) / 1000,
  );
  const times = [...registered].map(([id, { sent }]) => ((ended.get(id) ?? Number.NaN) - sent) / 1000);
  const total = (Math.max(...ended.values()) - before.at) / 1000;
  components.workMs = 0;
  components.faults = 0;
  const ends = [...ended.values()].map((at) => (at - before.at) / 1000);
  const charts = [readyChart('clusters-ready', `${CLUSTERS} clusters`, { mothership: ends })];
  const figures = [
    figure('registration to the first task, the longest', 's', Math.max(...waits), 1),
    figure(
      `registration to ready, the longest of ${CLUSTERS}, ${FORCED_S} s are forced`,
      's',
      Math.max(...times),
      1.3 * FORCED_S,
    ),
    figure(`all ${CLUSTERS}, with the time in which they are registered`, 's', total),
    figure('clusters that did not become ready', '', failed, 0),
    figure('SQL statements for each operation', '', (after.statements - before.statements) / operations, 12),
    figure('CPU for each operation', 'ms', (after.cpuMs - before.cpuMs) / operations, 4),
    figure('peak RSS', 'MiB', after.peakRssMiB, 150),
  ];
  return { figures, charts };
}

/**
 * Registers all clusters. Returns the times of registrations (`sent` since the epoch, in ms), how long all of them took, and `untilEnded`
 * for their runs.
 */
async function registerAll(environment: LoadEnvironment, prefix: string) {
  const registered = new Map<
    string,
    { readonly sent: number; readonly answered: number; readonly tookMs: number }
  >();
  const begin = async (index: number) => {
    const id = `${prefix}-${index}`;
    const sent = Date.now();
    const at = performance.now();
    await register(environment, id);
    const answered = performance.now();
    registered.set(id, { sent, answered, tookMs: answered - at });
  };
  const at = performance.now();
  await inParallel(range(CLUSTERS), begin, CLIENTS);
  const registeredMs = performance.now() - at;
  return { registered, registeredMs, ended: () => untilEnded(environment, prefix) };
}

/** Where the time of the load goes. */
async function profileLoad(environment: LoadEnvironment, context: MeasurementContext): Promise<Profile> {
  context.print('the same again, profiled');
  environment.components.workMs = WORK_MS;
  const profile = { name: 'mothership', title: 'The mothership under load', ms: FORCED_S * 1000 };
  return profileDuring(environment.process, context, profile, async () => {
    const { ended } = await registerAll(environment, 'profiled');
    await ended();
  });
}

async function atRest(
  environment: LoadEnvironment,
  { clock, print, signal }: MeasurementContext,
): Promise<Figure[]> {
  print(`${REST_MS / 1000} s at rest`);
  const before = environment.statements();
  await sleep(clock, REST_MS, signal);
  return [
    figure(
      'SQL statements in 10 s at rest',
      '',
      ((environment.statements() - before) * 10_000) / REST_MS,
      10,
    ),
  ];
}

async function register(
  { url, kubeconfig }: LoadEnvironment,
  runtimeID: string,
  operations = OPERATIONS,
): Promise<void> {
  // The artificial component CRDs is an operation too.
  const components = range(operations - 1).map((index) => ({
    component: `component-${index}`,
    namespace: 'kyma-system',
  }));
  const response = await fetch(`${url}/v1/clusters`, {
    method: 'POST',
    body: JSON.stringify({ runtimeID, kymaConfig: { version: '2.0.0', components }, kubeconfig }),
  });
  if (!response.ok) throw new Error(`cannot register ${runtimeID}: ${await response.text()}`);
}

/**
 * Waits for the end of all runs of the load, with one request a second: requests for each cluster would be load too. Returns
 * how many failed, and the time of each end, in ms since the epoch, as the database has it.
 */
async function untilEnded(
  { url, process }: LoadEnvironment,
  prefix: string,
): Promise<{ readonly failed: number; readonly ended: ReadonlyMap<string, number> }> {
  for (;;) {
    const response = await process.during(fetch(`${url}/v1/reconciliations?last=1000`));
    const runs = (await response.json()) as Run[];
    const own = runs.filter(({ runtimeID, finished }) => finished && runtimeID.startsWith(`${prefix}-`));
    const ended = new Map(own.map(({ runtimeID, updated }) => [runtimeID, Date.parse(updated)]));
    if (ended.size === CLUSTERS) {
      return { failed: own.filter(({ status }) => status !== 'ready').length, ended };
    }
    await new Promise((done) => setTimeout(done, 1000));
  }
}

async function untilReady(environment: LoadEnvironment, id: string): Promise<number> {
  const at = performance.now();
  await register(environment, id);
  const { url, process } = environment;
  for (;;) {
    const response = await process.during(fetch(`${url}/v1/clusters/${id}/status`));
    const { status } = (await response.json()) as { status: string };
    if (status === 'ready') return (performance.now() - at) / 1000;
    if (status === 'error') throw new Error(`${id} ends in an error`);
    await new Promise((done) => setTimeout(done, 20));
  }
}
