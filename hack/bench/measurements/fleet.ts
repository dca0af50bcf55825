/**
 * The largest platform that one provider is made for: thousands of mappings, tens of Kyma clusters, a few teams on
 * each. Measurements with one cluster and a thousand mappings could hide costs that grow with clusters, or that only
 * show when most events are filtered.
 */
import { sleep } from '../../../internal/base/time/clock.ts';
import { packageCrds } from '../../../test/environment/install-crds.ts';
import { type BenchEnvironment, HANA_LATENCY_MS } from '../environment/environment.ts';
import { createDuring } from '../environment/fresh-mappings.ts';
import { type Population, preparePopulation, selectorOf, shardOf } from '../environment/population.ts';
import { type ProviderRun, startProvider } from '../environment/provider-run.ts';
import { type ReadyWatch, watchReadiness } from '../environment/ready-watch.ts';
import { type Traffic, watchTraffic } from '../environment/traffic.ts';
import { createWaiting } from '../environment/waiting-population.ts';
import { inParallel } from '../measure/in-parallel.ts';
import { openConnections } from '../measure/open-connections.ts';
import { spreadBySecond } from '../measure/spread.ts';
import { percentile, sum } from '../measure/statistics.ts';
import type { BenchContext, Figure, Measurement, Result } from '../measurement.ts';
import { breakdown, count, number } from '../report/format.ts';

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
    const { clock, print, sizes } = context;
    print(`preparing ${count(sizes.fleet.mappings)} mappings on ${count(sizes.fleet.clusters)} clusters`);
    const startedAt = clock.monotonic();
    const all = await preparePopulation(environment, 'fleet', {
      ...sizes.fleet,
      perInstance: sizes.perInstance,
      namespacesPerCluster: TEAMS,
    });
    await all.create(() => undefined);
    const fresh = async (id: string) =>
      preparePopulation(environment, id, { mappings: FRESH, perInstance: 1, clusters: FRESH_CLUSTERS }, all);
    const [early, late] = [await fresh('fleet-early'), await fresh('fleet-late')];
    print(`prepared in ${Math.round((clock.monotonic() - startedAt) / 1000)} s`);
    const results = [
      await converge(context, environment, all, early),
      await restart(context, environment, all, late),
      await poll(context, environment, all),
    ];
    return {
      figures: results.flatMap(({ figures }) => figures.map((figure) => named(all, figure))),
      notes: results.flatMap(({ notes = [] }) => notes),
    };
  },
};

const named = ({ mappings, clusters }: Population, figure: Figure): Figure => ({
  ...figure,
  name: `${count(mappings)} mappings on ${count(clusters)} clusters: ${figure.name}`,
});

async function converge(
  { clock, print }: BenchContext,
  environment: BenchEnvironment,
  all: Population,
  fresh: Population,
): Promise<Result> {
  print('first reconciles of all mappings');
  const traffic = await watchTraffic(environment, 'provider');
  const readiness = watchReadiness(environment, selectorOf([all, fresh]));
  const launchedAt = clock.monotonic();
  const provider = await startProvider(environment, { selector: shardOf(all) });
  try {
    let goesOn = true;
    const end = () => {
      goesOn = false;
    };
    const converged = provider.during(readiness.untilReady(all.names, CONVERGENCE_TIMEOUT_MS)).finally(end);
    const [latencies] = await Promise.all([
      createDuring(environment, fresh, readiness, { gapMs: CONVERGENCE_GAP_MS, goesOn: () => goesOn }),
      converged,
    ]);
    const seconds = (Math.max(...all.names.map((name) => readiness.readyAt(name) ?? 0)) - launchedAt) / 1000;
    const { peakRssMiB } = await provider.usage();
    const { management, kyma, hana } = await traffic();
    const made = all.mappings + latencies.length;
    return {
      figures: [
        { name: 'until all are Ready for the first time', unit: 's', value: seconds },
        { name: 'until all are Ready, each second', unit: '/s', value: all.mappings / seconds },
        {
          name: 'until Ready, API server reads for each',
          unit: '',
          value: (management.reads + kyma.reads) / made,
          target: 6,
        },
        {
          name: 'until Ready, API server writes for each',
          unit: '',
          value: (management.writes + kyma.writes) / made,
          target: 4,
        },
        {
          name: 'until Ready, most HANA Cloud calls in flight',
          unit: '',
          value: hana.mostInFlight,
          target: MAX_EXTERNAL_CALLS,
        },
        ...freshFigures('a fresh mapping meanwhile', latencies),
        { name: 'until all are Ready, peak RSS', unit: 'MiB', value: peakRssMiB },
      ],
      notes: [
        `Convergence, requests to management for each: ${breakdown(management.byKind, made)}; to kyma: ${breakdown(kyma.byKind, made)}; to HANA Cloud: ${breakdown({ tokens: hana.tokens, lists: hana.lists, posts: hana.posts }, made)}. ${count(latencies.length)} mappings were created meanwhile.`,
      ],
    };
  } finally {
    readiness.stop();
    await provider.stop();
  }
}

async function restart(
  context: BenchContext,
  environment: BenchEnvironment,
  all: Population,
  fresh: Population,
): Promise<Result> {
  const { clock, print } = context;
  print(`a restart, ${CALM.join(' ')}`);
  const traffic = await watchTraffic(environment, 'provider');
  const readiness = watchReadiness(environment, selectorOf([fresh, { label: WAITING_LABEL }]));
  const launchedAt = clock.monotonic();
  const provider = await startProvider(environment, { selector: shardOf(all), flags: CALM });
  try {
    const goesOn = async () => (await provider.reconciles()) < all.mappings;
    const latencies = await createDuring(environment, fresh, readiness, { gapMs: RESTART_GAP_MS, goesOn });
    const seconds = (clock.monotonic() - launchedAt) / 1000;
    const { peakRssMiB } = await provider.usage();
    const lists = (await traffic()).management.byKind['list kymainstancemappings'] ?? 0;
    const connections = await mostConnections(context, environment, provider, CALM_LOOK_MS);
    const { rssMiB, heapMiB } = await provider.collected();
    const settled = watchesOf(await traffic());
    // Of its own kinds, of their definitions, and of the Secrets in the one namespace with kubeconfigs.
    const ownWatches = (await packageCrds()).length + 2;
    const awaited = await waitForSources(context, environment, all, provider, readiness, traffic);
    return {
      figures: [
        { name: 'a restart until all are observed', unit: 's', value: seconds },
        ...freshFigures('a fresh mapping during a restart', latencies),
        { name: 'a restart, peak RSS', unit: 'MiB', value: peakRssMiB },
        { name: 'poll 10 min, RSS after a collection', unit: 'MiB', value: rssMiB, target: RSS_TARGET_MIB },
        { name: 'poll 10 min, heap after a collection', unit: 'MiB', value: heapMiB },
        ...connectionFigures('poll 10 min', all.clusters + 2 * FRESH_CLUSTERS, connections),
        { name: 'watches on management', unit: '', value: total(settled.management), target: ownWatches },
        { name: 'watches on kyma', unit: '', value: total(settled.kyma), target: 0 },
        ...awaited.figures,
      ],
      notes: [
        `Restart: ${count(lists)} requests listed mappings; ${count(latencies.length)} mappings were created meanwhile.`,
        `Watches on management: ${printed(settled.management)}.`,
      ],
    };
  } finally {
    readiness.stop();
    await provider.stop();
  }
}

/** Has mappings wait for sources in several namespaces, and then not any more. */
async function waitForSources(
  { clock, print, signal }: BenchContext,
  environment: BenchEnvironment,
  all: Population,
  provider: ProviderRun,
  readiness: ReadyWatch,
  traffic: () => Promise<Traffic>,
): Promise<Result> {
  print(`${WAITING} mappings wait for sources`);
  const { mappings, awaited } = await createWaiting(environment, WAITING_LABEL, WAITING, {
    clusters: FRESH_CLUSTERS,
    beside: all,
  });
  const names = mappings.map(({ name }) => name);
  await provider.during(readiness.untilWaiting(names));
  await sleep(clock, LINGER_MS, signal);
  const during = watchesOf(await traffic());
  await inParallel(mappings, (mapping) => mapping.bring());
  await provider.during(readiness.untilReady(names));
  await sleep(clock, LINGER_MS, signal);
  const afterwards = watchesOf(await traffic());
  const needless = [...during.kyma.keys()].filter((collection) => !awaited.has(collection));
  if (needless.length > 0) print(`no mapping waits for a source in ${needless.join(', ')}`);
  return {
    figures: [
      {
        name: `${WAITING} mappings wait, watches on kyma`,
        unit: '',
        value: total(during.kyma),
        target: awaited.size,
      },
      { name: 'nothing waits any more, watches on kyma', unit: '', value: total(afterwards.kyma), target: 0 },
    ],
  };
}

async function poll(context: BenchContext, environment: BenchEnvironment, all: Population): Promise<Result> {
  const { clock, print, signal } = context;
  print(`polls, ${EAGER.join(' ')}`);
  const provider = await startProvider(environment, { selector: shardOf(all), flags: EAGER });
  try {
    while ((await provider.reconciles()) < all.mappings) await sleep(clock, 500, signal);
    // First reconciles run as soon as possible; from now on polls follow their schedule.
    await sleep(clock, EAGER_POLL_MS, signal);
    const traffic = await watchTraffic(environment, 'provider');
    const from = clock.now();
    const { cpuMs } = await provider.usage();
    const connections = await mostConnections(context, environment, provider, EAGER_POLL_MS);
    const to = clock.now();
    const used = await provider.usage();
    const { management, kyma, hana } = await traffic();
    const observations = kyma.receivedAt(OBSERVATION);
    const { most, mean } = spreadBySecond(observations, from, to);
    const requests = sum([management, kyma].map(({ reads, writes, watches }) => reads + writes + watches));
    const { rssMiB, heapMiB } = await provider.collected();
    return {
      figures: [
        { name: 'poll 60 s, observations a second', unit: '/s', value: mean },
        {
          name: 'poll 60 s, most observations in a second by their mean',
          unit: '',
          value: most / mean,
          target: SPREAD_TARGET,
        },
        {
          name: 'poll 60 s, API server requests for each observation',
          unit: '',
          value: requests / observations.length,
          target: 4.5,
        },
        {
          name: 'poll 60 s, lists of HANA Cloud for each observation',
          unit: '',
          value: hana.lists / observations.length,
        },
        { name: 'poll 60 s, share of one core', unit: '', value: (used.cpuMs - cpuMs) / (to - from) },
        { name: 'poll 60 s, RSS after a collection', unit: 'MiB', value: rssMiB, target: RSS_TARGET_MIB },
        { name: 'poll 60 s, heap after a collection', unit: 'MiB', value: heapMiB },
        { name: 'poll 60 s, peak RSS', unit: 'MiB', value: used.peakRssMiB },
        ...connectionFigures('poll 60 s', all.clusters + 3 * FRESH_CLUSTERS, connections),
      ],
      notes: [
        `Poll 60 s, requests for each observation, to management: ${breakdown(management.byKind, observations.length)}; to kyma: ${breakdown(kyma.byKind, observations.length)}; tokens: ${number(hana.tokens / observations.length)}.`,
      ],
    };
  } finally {
    await provider.stop();
  }
}

/** Samples once per second; undefined where the kernel has no figures. */
async function mostConnections(
  { clock, signal }: BenchContext,
  { planes }: BenchEnvironment,
  { pid }: ProviderRun,
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

function connectionFigures(name: string, clusters: number, connections: number | undefined): Figure[] {
  if (connections === undefined) return [];
  const value = connections / clusters;
  return [
    { name: `${name}, connections for each cluster`, unit: '', value, target: CONNECTIONS_PER_CLUSTER },
  ];
}

function freshFigures(name: string, latencies: readonly number[]): Figure[] {
  return [
    { name: `${name}, p50`, unit: 'ms', value: percentile(latencies, 0.5) },
    { name: `${name}, worst`, unit: 'ms', value: percentile(latencies, 1), target: FRESH_TARGET_MS },
  ];
}

type Watches = ReadonlyMap<string, number>;

const watchesOf = ({ management, kyma }: Traffic) => ({
  management: management.openWatches,
  kyma: kyma.openWatches,
});

const total = (watches: Watches): number => sum([...watches.values()]);

const printed = (watches: Watches): string =>
  [...watches].map(([collection, open]) => `${open} ${collection}`).join(', ');
