/**
 * The largest platform that one provider is made for: thousands of mappings, tens of Kyma clusters, a few teams on
 * each. Measurements with one cluster and a thousand mappings could hide costs that grow with clusters, or that only
 * show when most events are filtered.
 */
import { sleep } from '../../../internal/framework/base/time/clock.ts';
import { packageCrds } from '../../../test/environment/install-crds.ts';
import { type BenchEnvironment, HANA_LATENCY_MS } from '../environment/environment.ts';
import {
  createWaiting,
  type Population,
  preparePopulation,
  selectorOf,
  shardOf,
} from '../environment/population.ts';
import { type Program, startProvider, untilObserved } from '../environment/programs.ts';
import { createDuring, type ReadyWatch, watchReadiness } from '../environment/ready-watch.ts';
import { startMeter, type Traffic, watchTraffic } from '../environment/traffic.ts';
import { inParallel } from '../measure/in-parallel.ts';
import { openConnections } from '../measure/open-connections.ts';
import { percentile, spreadBySecond, sum } from '../measure/statistics.ts';
import type { Measurement } from '../measurement.ts';
import { breakdown, count, type Figure, figure, number } from '../report/figures.ts';
import { joinResults, type Result } from '../report/report.ts';

/** Namespaces with databases on each cluster. */
const TEAMS = 4;
/**
 * New mappings: how many there are in each of two runs, the number of their clusters, which those that wait have too,
 * and the time between two of them.
 */
const FRESH = 100;
const FRESH_CLUSTERS = 5;
const CONVERGENCE_GAP_MS = 2000;
const RESTART_GAP_MS = 250;
/** A new mapping must not wait for those that are only polled. */
const FRESH_TARGET_MS = 2000;
/** `--max-external-calls` */
const MAX_EXTERNAL_CALLS = 32;
const RSS_TARGET_MIB = 250;
/** No patience would be left beyond it. */
const CONVERGENCE_TIMEOUT_MS = 20 * 60_000;
/** What a platform of this size should set, and what it must raise the rate for: 10,000 a minute are 167 polls a second. */
const CALM = ['--poll', '10m'];
const EAGER = ['--poll', '60s', '--max-reconcile-rate', '200'];
const EAGER_POLL_MS = 60_000;
/** Most polls in a second by their mean. */
const SPREAD_TARGET = 2;
const WAITING = 100;
const WAITING_LABEL = 'fleet-waiting';
/** A watch is closed 2 s after the last mapping that waited. */
const LINGER_MS = 5000;
/** One read of each observation. */
const OBSERVATION = 'get serviceinstances';
/** Duration of the measurement with rare polls. */
const CALM_LOOK_MS = 20_000;
/** The provider's bound for calls to one cluster; watches have connections of their own. */
const CONNECTIONS_PER_CLUSTER = 8;

export const fleet: Measurement = {
  name: 'fleet',
  title: 'A fleet: many mappings on many Kyma clusters',
  method:
    `The mappings belong to databases on many Kyma clusters, each with a kubeconfig of its own, with ${TEAMS} namespaces on each; all kubeconfigs lead to one control plane. HANA Cloud has a latency of ${HANA_LATENCY_MS} ms. ` +
    '*Convergence*: all mappings exist, none was reconciled yet, and the provider starts with default flags; the time runs from its launch until a watch of the bench reports the last mapping as Ready and Synced. ' +
    `Meanwhile a new mapping is created every ${CONVERGENCE_GAP_MS / 1000} s, on a database and a cluster that are new to the provider; its time runs from the API server’s response until it is Ready. ` +
    `*Restart*: the provider restarts over all of them with \`${CALM.join(' ')}\` and reconciles each once, with a new mapping every ${RESTART_GAP_MS} ms. Memory is read afterwards, and after forced collections. ` +
    `Then ${WAITING} mappings on ${FRESH_CLUSTERS} more clusters wait for one source each, the four kinds in turn; open watches are counted in the API servers’ audit logs, and compared with the pairs of namespace and kind in which sources are missing. ` +
    `*Polls*: with \`${EAGER.join(' ')}\`, observations are counted by the second in which they read the ServiceInstance, for one interval after the first round. Mappings of one database are polled together: with random times of the databases (Poisson), the fullest of 60 seconds would have about 1.6 times the mean for 1,000 databases. ` +
    'Connections are those that the kernel shows from the provider to the control plane of all Kyma clusters: the maximum of one sample per second. There is no plain program here: it supports one cluster and no restart.',
  run: async (context) => {
    const environment = await context.environment();
    const { clock, print, options } = environment;
    const { fleetMappings: mappings, fleetClusters: clusters, perInstance } = options;
    const size = `${count(mappings)} mappings on ${count(clusters)} clusters`;
    print(`preparing ${size}`);
    const startedAt = clock.monotonic();
    const scale = { mappings, clusters, perInstance, namespacesPerCluster: TEAMS };
    const all = await preparePopulation(environment, 'fleet', scale);
    await all.create(() => undefined);
    const fresh = (id: string) =>
      preparePopulation(environment, id, { mappings: FRESH, perInstance: 1, clusters: FRESH_CLUSTERS }, all);
    const [early, late] = [await fresh('fleet-early'), await fresh('fleet-late')];
    print(`prepared in ${Math.round((clock.monotonic() - startedAt) / 1000)} s`);
    const { figures, notes } = joinResults([
      await converge(environment, all, early),
      await restart(environment, all, late),
      await poll(environment, all),
    ]);
    return { figures: figures.map((each) => ({ ...each, name: `${size}: ${each.name}` })), notes };
  },
};

async function converge(environment: BenchEnvironment, all: Population, fresh: Population): Promise<Result> {
  const { clock, print } = environment;
  print('first reconciles of all mappings');
  const traffic = await watchTraffic(environment, 'provider');
  using readiness = watchReadiness(environment, selectorOf([all, fresh]));
  const launchedAt = clock.monotonic();
  await using provider = await startProvider(environment, { selector: shardOf(all) });
  let isOngoing = true;
  const converged = provider.during(readiness.untilReady(all.names, CONVERGENCE_TIMEOUT_MS)).finally(() => {
    isOngoing = false;
  });
  const [latencies] = await Promise.all([
    createDuring(environment, fresh, readiness, { gapMs: CONVERGENCE_GAP_MS, isOngoing: () => isOngoing }),
    converged,
  ]);
  const seconds = (Math.max(...all.names.map(readiness.readyAt)) - launchedAt) / 1000;
  const { peakRssMiB } = await provider.usage();
  const { management, kyma, reads, writes, hana } = await traffic();
  const made = all.mappings + latencies.length;
  const { mostInFlight, ...calls } = hana;
  return {
    figures: [
      figure('until all are Ready for the first time', 's', seconds),
      figure('until all are Ready, each second', '/s', all.mappings / seconds),
      figure('until Ready, API server reads for each', '', reads / made, 6),
      figure('until Ready, API server writes for each', '', writes / made, 4),
      figure('until Ready, most HANA Cloud calls in flight', '', mostInFlight, MAX_EXTERNAL_CALLS),
      ...freshFigures('a fresh mapping meanwhile', latencies),
      figure('until all are Ready, peak RSS', 'MiB', peakRssMiB),
    ],
    notes: [
      `Convergence, requests to management for each: ${breakdown(management.byKind, made)}; to kyma: ${breakdown(kyma.byKind, made)}; to HANA Cloud: ${breakdown(calls, made)}. ${count(latencies.length)} mappings were created meanwhile.`,
    ],
  };
}

async function restart(environment: BenchEnvironment, all: Population, fresh: Population): Promise<Result> {
  const { clock, print } = environment;
  print(`a restart, ${CALM.join(' ')}`);
  const traffic = await watchTraffic(environment, 'provider');
  using readiness = watchReadiness(environment, selectorOf([fresh, { label: WAITING_LABEL }]));
  const launchedAt = clock.monotonic();
  await using provider = await startProvider(environment, { selector: shardOf(all), flags: CALM });
  const isOngoing = async () => (await provider.observations()) < all.mappings;
  const latencies = await createDuring(environment, fresh, readiness, { gapMs: RESTART_GAP_MS, isOngoing });
  const seconds = (clock.monotonic() - launchedAt) / 1000;
  const { peakRssMiB } = await provider.usage();
  const lists = (await traffic()).management.byKind['list kymainstancemappings'] ?? 0;
  const connections = await mostConnections(environment, provider, CALM_LOOK_MS);
  const { rssMiB, heapMiB } = await provider.collected();
  const settled = await traffic();
  const watches = [...settled.management.openWatches].map(([collection, open]) => `${open} ${collection}`);
  // Of its own kinds, of their definitions, and of the Secrets in the one namespace with kubeconfigs.
  const ownWatches = (await packageCrds()).length + 2;
  const waiting = await waitForSources(environment, all, provider, readiness, traffic);
  return {
    figures: [
      figure('a restart until all are observed', 's', seconds),
      ...freshFigures('a fresh mapping during a restart', latencies),
      figure('a restart, peak RSS', 'MiB', peakRssMiB),
      figure('poll 10 min, RSS after a collection', 'MiB', rssMiB, RSS_TARGET_MIB),
      figure('poll 10 min, heap after a collection', 'MiB', heapMiB),
      ...connectionFigures('poll 10 min', all.clusters + 2 * FRESH_CLUSTERS, connections),
      watchesFigure('watches on management', settled.management, ownWatches),
      watchesFigure('watches on kyma', settled.kyma, 0),
      ...waiting,
    ],
    notes: [
      `Restart: ${count(lists)} requests listed mappings; ${count(latencies.length)} mappings were created meanwhile.`,
      `Watches on management: ${watches.join(', ')}.`,
    ],
  };
}

/** Has mappings wait for sources in several namespaces, and then not any more. */
async function waitForSources(
  environment: BenchEnvironment,
  all: Population,
  provider: Program,
  readiness: ReadyWatch,
  traffic: () => Promise<Traffic>,
): Promise<Figure[]> {
  const { clock, print, signal } = environment;
  print(`${WAITING} mappings wait for sources`);
  const waiting = await createWaiting(environment, WAITING_LABEL, WAITING, FRESH_CLUSTERS, all);
  const { names, awaited } = waiting;
  await provider.during(readiness.untilWaiting(names));
  await sleep(clock, LINGER_MS, signal);
  const during = (await traffic()).kyma;
  await inParallel(names, waiting.bring);
  await provider.during(readiness.untilReady(names));
  await sleep(clock, LINGER_MS, signal);
  const afterwards = (await traffic()).kyma;
  const needless = [...during.openWatches.keys()].filter((collection) => !awaited.has(collection));
  if (needless.length > 0) print(`no mapping waits for a source in ${needless.join(', ')}`);
  return [
    watchesFigure(`${WAITING} mappings wait, watches on kyma`, during, awaited.size),
    watchesFigure('nothing waits any more, watches on kyma', afterwards, 0),
  ];
}

async function poll(environment: BenchEnvironment, all: Population): Promise<Result> {
  const { clock, print, signal } = environment;
  print(`polls, ${EAGER.join(' ')}`);
  await using provider = await startProvider(environment, { selector: shardOf(all), flags: EAGER });
  await untilObserved(environment, provider, all.mappings);
  // First reconciles run as soon as possible; from now on polls follow their schedule.
  await sleep(clock, EAGER_POLL_MS, signal);
  const cost = await startMeter(environment, 'provider', provider);
  const from = clock.now();
  const connections = await mostConnections(environment, provider, EAGER_POLL_MS);
  const to = clock.now();
  const { peakRssMiB } = await provider.usage();
  const { cpuMs, traffic } = await cost();
  const { management, kyma, reads, writes, hana } = traffic;
  const times = kyma.receivedAt(OBSERVATION);
  const { most, mean } = spreadBySecond(times, from, to);
  const requests = reads + writes + management.watches + kyma.watches;
  const { rssMiB, heapMiB } = await provider.collected();
  const per = 'for each observation';
  const figures: Figure[] = [
    figure('observations a second', '/s', mean),
    figure('most observations in a second by their mean', '', most / mean, SPREAD_TARGET),
    figure(`API server requests ${per}`, '', requests / times.length, 4.5),
    figure(`lists of HANA Cloud ${per}`, '', hana.lists / times.length),
    figure('share of one core', '', cpuMs / (to - from)),
    figure('RSS after a collection', 'MiB', rssMiB, RSS_TARGET_MIB),
    figure('heap after a collection', 'MiB', heapMiB),
    figure('peak RSS', 'MiB', peakRssMiB),
  ];
  return {
    figures: [
      ...figures.map((each) => ({ ...each, name: `poll 60 s, ${each.name}` })),
      ...connectionFigures('poll 60 s', all.clusters + 3 * FRESH_CLUSTERS, connections),
    ],
    notes: [
      `Poll 60 s, requests ${per}, to management: ${breakdown(management.byKind, times.length)}; to kyma: ${breakdown(kyma.byKind, times.length)}; tokens: ${number(hana.tokens / times.length)}.`,
    ],
  };
}

/** Samples once per second; undefined where the kernel has no figures. */
async function mostConnections(
  { clock, signal, planes }: BenchEnvironment,
  { pid }: Program,
  forMs: number,
): Promise<number | undefined> {
  const port = Number(new URL(planes.kyma.server).port);
  const endsAt = clock.monotonic() + forMs;
  let most: number | undefined;
  while (clock.monotonic() < endsAt) {
    const now = await openConnections(pid, port);
    if (now !== undefined) most = Math.max(most ?? 0, now);
    await sleep(clock, Math.max(0, Math.min(1000, endsAt - clock.monotonic())), signal);
  }
  return most;
}

const connectionFigures = (name: string, clusters: number, connections: number | undefined): Figure[] =>
  connections === undefined
    ? []
    : [figure(`${name}, connections for each cluster`, '', connections / clusters, CONNECTIONS_PER_CLUSTER)];

const freshFigures = (name: string, latencies: readonly number[]): Figure[] => [
  figure(`${name}, p50`, 'ms', percentile(latencies, 0.5)),
  figure(`${name}, worst`, 'ms', percentile(latencies, 1), FRESH_TARGET_MS),
];

const watchesFigure = (name: string, { openWatches }: Traffic['kyma'], target: number): Figure =>
  figure(name, '', sum([...openWatches.values()]), target);
