/** Runtimes, their Shoots in a simulated Gardener and their clusters, with owners who change each of them. */
import fc from 'fast-check';
import { type Shoot, shoots } from '../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  type RuntimeSpec,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { jsonEqual } from '../../../internal/framework/base/json/json-value.ts';
import { mergePatch } from '../../../internal/framework/kube/apply/patches.ts';
import {
  apiError,
  createMemoryClient,
  type MemoryClient,
} from '../../../internal/framework/kube/fakes/memory-client.ts';
import {
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type ResourceType,
  secrets,
} from '../../../internal/framework/kube/index.ts';
import type { Configuration } from '../../../internal/systems/infrastructure-manager/configuration/configuration.ts';
import {
  recordedCluster,
  recordedRuntime,
} from '../../../internal/systems/infrastructure-manager/gardenercluster/metadata.ts';
import { labels } from '../../../internal/systems/infrastructure-manager/metadata.ts';
import { registryCacheConfigs } from '../../../internal/systems/infrastructure-manager/registry-cache-config.ts';
import {
  cacheConfig,
  installKyma,
} from '../../../internal/systems/infrastructure-manager/registrycache/fixtures/registry-module.fixture.ts';
import { configurationOf } from '../../../internal/systems/infrastructure-manager/rendering/fixtures/rendering.fixture.ts';
import { createShootRendering } from '../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import { clusterRoleBindings } from '../../../internal/systems/infrastructure-manager/runtime/cluster/access.ts';
import { startRuntimeHarness } from '../../../internal/systems/infrastructure-manager/runtime/fixtures/runtime-harness.fixture.ts';
import { startSimulatedGardener } from '../../simulators/gardener/simulated-gardener.ts';
import { type ProcessAction, processActions, userActions } from '../actions/arbitraries.ts';
import { kubernetesLink } from '../actions/kubernetes-link.ts';
import { createSurroundings } from '../actions/surroundings.ts';
import { createUserObjects, type UserAction } from '../actions/user-objects.ts';
import { mostWrites } from '../actions/write-rate.ts';
import type { CampaignModule, CampaignSystem, Violation } from '../runner/campaign-module.ts';
import { PLACES, runtimeAt, runtimeSpecs, SHOOTS } from './runtime-specs.ts';
import { isReady, leftOf, type RuntimeWorld, unsettledOf, worldOf } from './runtime-world.ts';

const LINKS = ['management', 'gardener', 'runtime'] as const;
/** Changes of a Shoot that stay: those of its owner, and of Gardener in a maintenance window. */
const LASTING = ['hibernate', 'maintain'] as const;
type Lasting = (typeof LASTING)[number];
const OWNER_ACTIONS = [
  ...LASTING,
  'drift',
  'store in other forms',
  'refuse changes',
  'reconcile of Gardener',
  'force',
  'rotate',
  'delete Secret',
  'empty Secret',
  'delete bindings',
  'label of another',
  'no label',
  'copy Secret',
  'move Secret',
  'copy binding',
  'copy GardenerCluster',
] as const;

export type RuntimeAction =
  | { readonly of: 'runtime'; readonly user: UserAction<RuntimeSpec> }
  | { readonly of: 'process'; readonly process: ProcessAction }
  /** Registries of which users of the cluster want caches. */
  | { readonly of: 'caches'; readonly at: number; readonly upstreams: readonly string[] }
  /** The broker gives the Runtime to another account. */
  | { readonly of: 'move'; readonly at: number; readonly to: (typeof ACCOUNTS)[number] }
  /** The operator changes the configuration of the program, which runs. */
  | { readonly of: 'configuration'; readonly becomes: ConfigurationName }
  | { readonly of: 'owner'; readonly does: (typeof OWNER_ACTIONS)[number]; readonly at: number };

/** As the tests of Runtimes have it, in the project of the simulated Gardener. */
const FIRST = configurationOf();

const ACCOUNTS = ['account-1', 'account-2', 'account-3'] as const;

/** What a configuration says of Shoots that exist, besides what their creation alone has set. */
const CONFIGURATIONS = {
  first: {},
  'another window': {
    maintenanceWindows: new Map([['eu-central-1', { begin: '010000+0000', end: '040000+0000' }]]),
  },
  'another issuer': {
    cluster: {
      defaultSharedIASTenant: {
        ...FIRST.cluster.defaultSharedIASTenant,
        issuerURL: 'https://shared.example.org',
      },
    },
  },
  'another operator': {
    converter: {
      ...FIRST.converter,
      kubernetes: {
        ...FIRST.converter.kubernetes,
        defaultOperatorOidc: { ...FIRST.converter.kubernetes.defaultOperatorOidc, clientID: 'other-client' },
      },
    },
  },
} as const satisfies Readonly<Record<string, Partial<Configuration>>>;
type ConfigurationName = keyof typeof CONFIGURATIONS;
const CONFIGURATION_NAMES = Object.keys(CONFIGURATIONS) as ConfigurationName[];

const MAINTAINED = { kubernetes: '1.30.12', image: '1592.2.0' };

const LASTING_CHANGES: Readonly<Record<Lasting, (shoot: Shoot) => object>> = {
  hibernate: () => ({ hibernation: { schedules: [{ start: '0 20 * * *' }] } }),
  /** The main pool is always there. */
  maintain: ({ spec }) => ({
    kubernetes: { version: MAINTAINED.kubernetes },
    provider: {
      workers: spec?.provider.workers?.map((pool) =>
        pool.name === 'cpu-worker-0'
          ? {
              ...pool,
              machine: { ...pool.machine, image: { ...pool.machine.image, version: MAINTAINED.image } },
            }
          : pool,
      ),
    },
  }),
};

/** Whether the value has all members of the part. */
const isMatch = (value: unknown, part: object): boolean => jsonEqual(mergePatch(value, part), value);

const at = fc.nat({ max: PLACES.length - 1 });
const action: fc.Arbitrary<RuntimeAction> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      of: fc.constant('runtime' as const),
      user: userActions(runtimeSpecs, PLACES.length),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ of: fc.constant('process' as const), process: processActions(LINKS) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      of: fc.constant('owner' as const),
      does: fc.constantFrom(...OWNER_ACTIONS),
      at,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant('caches' as const),
      at,
      upstreams: fc.uniqueArray(fc.constantFrom('docker.io', 'ghcr.io'), { minLength: 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ of: fc.constant('move' as const), at, to: fc.constantFrom(...ACCOUNTS) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      of: fc.constant('configuration' as const),
      becomes: fc.constantFrom(...CONFIGURATION_NAMES),
    }),
  },
);

const RUNTIME_ID = labels.runtimeId;
/** GardenerClusters that users copy get a status. */
const CHANGES: ReadonlySet<string> = new Set(['update', 'patch', 'apply']);
const copied = (name: string): string => `${name}-copy`;
const isCopy = ({ name }: { readonly name: string }): boolean => name.endsWith('-copy');

/** Delays grow to five minutes, and clusters are checked each hour. */
const SETTLE_MS = 2.1 * 3_600_000;

async function start(): Promise<CampaignSystem<RuntimeAction>> {
  const clusters = new Map<string, MemoryClient>();
  const configuration: { name: ConfigurationName; revision: number } = { name: 'first', revision: 0 };
  const listeners = new Set<() => void>();
  const h = await startRuntimeHarness(startSimulatedGardener, {
    isStopped: true,
    hasRegistryCaches: true,
    rendering: createShootRendering({
      current: () => ({ ...FIRST, ...CONFIGURATIONS[configuration.name] }),
      revision: () => configuration.revision,
    }),
    onConfigurationChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    clusterAt: (server) => clusterOf(SHOOTS.find((name) => server.includes(`api.${name}.`)) ?? 'unknown'),
  });
  const { client, gardener, clock } = h;
  const clusterOf = (shoot: string): MemoryClient => {
    const known = clusters.get(shoot);
    if (known !== undefined) return known;
    const created = createMemoryClient({ clock, clusterName: `cluster ${shoot}` });
    clusters.set(shoot, created);
    noteDeletions(created);
    return created;
  };
  const caches = new Map<number, readonly string[]>();
  const putCaches = async (at: number, upstreams: readonly string[]) => {
    const cluster = clusterOf(SHOOTS[at] ?? '');
    const users = cluster.otherProgram();
    if (!caches.has(at)) await installKyma(users);
    for (const { metadata } of cluster.peekAll(registryCacheConfigs))
      await users.delete(registryCacheConfigs, { namespace: 'default', name: metadata.name });
    for (const [index, upstream] of upstreams.entries())
      await users.create(registryCacheConfigs, cacheConfig(`cache-${index}`, { upstream }));
    caches.set(at, upstreams);
  };
  /** A cluster goes with its Shoot. */
  const forgetClusters = () => {
    for (const [at, name] of SHOOTS.entries()) {
      if (gardener.client.peek(shoots, { namespace: gardener.namespace, name }) !== undefined) continue;
      clusters.delete(name);
      caches.delete(at);
    }
  };
  /** Of the Shoots by uid. */
  const lasting = new Map<string, Set<Lasting>>();
  const shootAt = (at: number) =>
    gardener.client.peek(shoots, { namespace: gardener.namespace, name: SHOOTS[at] ?? '' });
  const lastingOf = (shoot: Shoot | undefined) =>
    lasting.get(shoot?.metadata.uid ?? '') ?? new Set<Lasting>();
  /** Changes of Shoots that Gardener refuses from now on. */
  let refused = 0;
  gardener.client.onRequest(({ verb, type, subresource }) => {
    // Others patch.
    if (refused === 0 || verb !== 'update' || type.kind !== shoots.kind || subresource !== undefined) return;
    refused--;
    throw refused % 2 === 0 ? apiError(422, 'Invalid', 'not now') : apiError(403, 'Forbidden', 'not now');
  });
  const users = client.otherProgram();
  const owners = gardener.client.otherProgram();
  const violations: Violation[] = [];
  const surroundings = createSurroundings({
    clock,
    advance: h.wait,
    servers: [client, gardener.client],
  });
  const { network } = surroundings;
  const objects = createUserObjects<Runtime, RuntimeSpec>({
    ...{ client: users, type: runtimes, places: PLACES, objectOf: runtimeAt, wait: h.wait },
    specOf: ({ spec }) => spec as RuntimeSpec,
    accepts: (found, next) => found.spec?.shoot.name === next.spec?.shoot.name,
  });
  const world: RuntimeWorld = { client, gardener, clusters, objects };
  const isWanted = (index: number) => objects.wanted().has(index);
  /** Shoots of Runtimes that were Ready, by uid. */
  const readyShoots = new Set<string | undefined>();
  /** A copy of a Runtime that is older than the present one has the Shoot that both name, and may create it. */
  const isShootOfCopy = (index: number) =>
    !readyShoots.has(shootAt(index)?.metadata.uid) &&
    client
      .peekAll(runtimes)
      .some(
        ({ metadata, spec }) => spec?.shoot.name === SHOOTS[index] && metadata.name !== PLACES[index]?.name,
      );
  /** With the label of another, a Runtime makes a GardenerCluster of that name. */
  const isClusterOfAnother = (index: number) => {
    const cluster = client.peek(gardenerClusters, objects.keyAt(index));
    const owner = cluster && recordedRuntime(cluster);
    return owner !== undefined && owner.name !== objects.keyAt(index).name;
  };
  const noteDeletions = (given: MemoryClient) =>
    given.onRequest(({ verb, type, key }) => {
      const isOwnKind = type.kind === gardenerClusters.kind;
      if (key !== undefined && isCopy(key) && (verb === 'delete' || (CHANGES.has(verb) && !isOwnKind)))
        violations.push({
          invariant: 'ownership',
          what: `${verb} of ${type.kind} ${key.name}, a copy of a user`,
        });
      if (verb !== 'delete' || key === undefined) return;
      const [index, isOfAnother] = isOwnKind
        ? [PLACES.findIndex(({ name }) => name === key.name), isClusterOfAnother]
        : [type.kind === shoots.kind ? SHOOTS.indexOf(key.name) : -1, isShootOfCopy];
      if (isWanted(index) && !isOfAnother(index))
        violations.push({
          invariant: 'ownership',
          what: `${type.kind} ${key.name} is deleted, and its Runtime is not`,
        });
    });
  noteDeletions(client);
  noteDeletions(gardener.client);
  await surroundings.start(async ({ process, fence }) => ({
    stop: await h.startProcess({
      fence,
      connect: (to: (typeof LINKS)[number], given: KubeClient) =>
        network.connect(process, kubernetesLink(to), given),
    }),
  }));
  /** With labels, annotations and content, without a status. What is there already stays. */
  const copyIn = async <T extends KubeObject>(
    of: MemoryClient,
    type: ResourceType<T>,
    { namespace, name }: ObjectKey,
    to: ObjectKey,
  ) => {
    const key = namespace === undefined ? { name } : { namespace, name };
    const found = of.peek(type, key);
    if (found === undefined || of.peek(type, to) !== undefined) return;
    const { metadata, status: _, ...object } = found as T & { status?: unknown };
    const { labels, annotations } = metadata;
    await of.otherProgram().create(type, {
      ...object,
      metadata: { ...to, ...(labels && { labels }), ...(annotations && { annotations }) },
    } as unknown as T);
  };
  const copyOf = <T extends KubeObject>(type: ResourceType<T>, from: ObjectKey, to: ObjectKey) =>
    copyIn(client, type, from, to);
  /** Users end what only they can end: labels of others, and Secrets in wrong places; their copies go. */
  const endCopies = async () => {
    for (const at of PLACES.keys()) {
      const found = await objects.find(at);
      const { name } = objects.keyAt(at);
      if (found !== undefined && found.metadata.labels?.[RUNTIME_ID] !== name)
        await users.mergePatch(runtimes, objects.keyAt(at), { metadata: { labels: { [RUNTIME_ID]: name } } });
    }
    for (const cluster of client.peekAll(gardenerClusters))
      if (isCopy(cluster.metadata)) await users.delete(gardenerClusters, keyOf(cluster));
    for (const secret of client.peekAll(secrets)) {
      const recorded = recordedCluster(secret);
      if (isCopy(secret.metadata) || recorded?.uid === undefined) await users.delete(secrets, keyOf(secret));
    }
    for (const cluster of clusters.values())
      for (const binding of cluster.peekAll(clusterRoleBindings))
        if (isCopy(binding.metadata))
          await cluster.otherProgram().delete(clusterRoleBindings, { name: binding.metadata.name });
  };
  const owner = async (does: (typeof OWNER_ACTIONS)[number], at: number) => {
    const { namespace = '', name } = objects.keyAt(at);
    const shoot = SHOOTS[at] ?? '';
    const secretKey = { namespace, name: `kubeconfig-${name}` };
    switch (does) {
      case 'drift':
        return owners.mergePatch(
          shoots,
          { namespace: gardener.namespace, name: shoot },
          { spec: { purpose: 'evaluation' } },
        );
      case 'hibernate':
      case 'maintain': {
        const found = shootAt(at);
        if (found === undefined) return;
        await owners.mergePatch(
          shoots,
          { namespace: gardener.namespace, name: shoot },
          { spec: LASTING_CHANGES[does](found) },
        );
        lasting.set(found.metadata.uid ?? '', lastingOf(found).add(does));
        return;
      }
      case 'store in other forms': {
        const text = JSON.stringify(shootAt(at)?.spec?.provider.workers ?? []);
        const workers: object[] = JSON.parse(
          text.replaceAll('"10m"', '"10m0s"').replaceAll('"1h"', '"1h0m0s"'),
        );
        if (workers.length === 0) return;
        return owners.mergePatch(
          shoots,
          { namespace: gardener.namespace, name: shoot },
          { spec: { provider: { workers } } },
        );
      }
      case 'refuse changes':
        refused = 3;
        return;
      case 'reconcile of Gardener':
        return gardener.gardenlet.begin(shoot);
      case 'force':
        return objects.perform({
          do: 'annotate',
          at,
          annotations: { 'operator.kyma-project.io/force-patch-reconciliation': 'true' },
        });
      case 'rotate':
        return users.mergePatch(
          gardenerClusters,
          { namespace, name },
          {
            metadata: { annotations: { 'operator.kyma-project.io/force-kubeconfig-rotation': '' } },
          },
        );
      case 'delete Secret':
        return users.delete(secrets, secretKey);
      case 'empty Secret':
        return users.mergePatch(secrets, secretKey, { data: { config: '' } });
      case 'label of another':
      case 'no label': {
        const other = objects.keyAt(at + 1).name;
        const label = does === 'no label' ? null : other;
        return users.mergePatch(
          runtimes,
          { namespace, name },
          { metadata: { labels: { [RUNTIME_ID]: label } } },
        );
      }
      case 'copy Secret':
        return copyOf(secrets, secretKey, { namespace, name: copied(secretKey.name) });
      case 'move Secret': {
        // To the name of another Runtime's, as a backup that is restored in the wrong place.
        const to = { namespace, name: `kubeconfig-${objects.keyAt(at + 1).name}` };
        if (client.peek(secrets, to) === undefined) await copyOf(secrets, secretKey, to);
        return users.delete(secrets, secretKey);
      }
      case 'copy GardenerCluster':
        return copyOf(gardenerClusters, { namespace, name }, { namespace, name: copied(name) });
      case 'copy binding': {
        const cluster = clusterOf(shoot);
        for (const { metadata } of cluster.peekAll(clusterRoleBindings))
          if (!isCopy(metadata))
            await copyIn(cluster, clusterRoleBindings, metadata, { name: copied(metadata.name) });
        return;
      }
      case 'delete bindings': {
        const cluster = clusterOf(shoot);
        for (const { metadata } of cluster.peekAll(clusterRoleBindings))
          await cluster.otherProgram().delete(clusterRoleBindings, { name: metadata.name });
        return;
      }
      default:
        return does satisfies never;
    }
  };
  const accountOf = (at: number) =>
    client.peek(runtimes, objects.keyAt(at))?.metadata.labels?.[labels.globalAccountId];
  const configure = (becomes: ConfigurationName) => {
    if (configuration.name === becomes) return;
    configuration.name = becomes;
    configuration.revision++;
    for (const listener of listeners) listener();
  };
  const move = async (at: number, to: (typeof ACCOUNTS)[number]) => {
    if ((await objects.find(at)) === undefined) return;
    await users.mergePatch(runtimes, objects.keyAt(at), {
      metadata: { labels: { [labels.globalAccountId]: to, [labels.subaccountId]: `sub${to}` } },
    });
  };
  let performed = 0;
  /** One of them, since each makes the program look at what the others change. */
  const changeLast = async () => {
    switch (performed % 3) {
      case 0: {
        const next = CONFIGURATION_NAMES.indexOf(configuration.name) + 1;
        return configure(CONFIGURATION_NAMES[next % CONFIGURATION_NAMES.length] ?? 'first');
      }
      case 1:
        for (const at of PLACES.keys()) {
          const next = (ACCOUNTS as readonly unknown[]).indexOf(accountOf(at)) + 1;
          await move(at, ACCOUNTS[next % ACCOUNTS.length] ?? 'account-1');
        }
        return;
      default:
        // Copies under other names come and go.
        for (const at of PLACES.keys()) {
          const found = await objects.find(at);
          if (found === undefined) continue;
          const { namespace, name, labels } = found.metadata;
          const key = { namespace: namespace ?? '', name: `${name}-again` };
          const copy = {
            ...runtimeAt(objects.keyAt(at), found.spec as RuntimeSpec),
            metadata: { ...key, ...(labels && { labels }) },
          };
          await users.create(runtimes, copy);
          await h.wait(600_000);
          await users.delete(runtimes, key);
        }
    }
  };
  const perform = async (given: RuntimeAction) => {
    performed++;
    switch (given.of) {
      case 'runtime':
        return objects.perform(given.user);
      case 'process':
        return surroundings.perform(given.process);
      case 'caches':
        if (clusters.has(SHOOTS[given.at] ?? '')) await putCaches(given.at, given.upstreams);
        return;
      case 'move':
        return move(given.at, given.to);
      case 'configuration':
        return configure(given.becomes);
      case 'owner':
        await Promise.resolve(owner(given.does, given.at)).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
        return;
      default:
        return given satisfies never;
    }
  };
  const ready = new Map<number, RuntimeSpec>();
  const noteReady = async () => {
    for (const [at, spec] of objects.wanted()) {
      const found = await objects.find(at);
      if (found === undefined || !isReady(found)) continue;
      ready.set(at, spec);
      readyShoots.add(shootAt(at)?.metadata.uid);
    }
  };
  return {
    perform: async (given) => {
      await perform(given);
      await h.wait(10);
      await surroundings.revive();
      forgetClusters();
      await noteReady();
    },
    settle: async (changesLast) => {
      await surroundings.heal();
      refused = 0;
      await h.wait(SETTLE_MS);
      await endCopies();
      await h.wait(SETTLE_MS);
      // Copies of a Runtime, with its Shoot and its labels.
      for (const at of PLACES.keys()) {
        const found = await objects.find(at);
        if (found !== undefined && found.spec?.shoot.name !== SHOOTS[at])
          await objects.perform({ do: 'delete', at });
      }
      await h.wait(SETTLE_MS);
      if (changesLast) await changeLast();
      for (const [at, spec] of ready) {
        const found = await objects.find(at);
        if (isWanted(at) && found !== undefined && !isReady(found)) await objects.set(at, spec);
      }
      await h.wait(SETTLE_MS);
    },
    unsettled: () => unsettledOf(world),
    world: () => worldOf(world),
    shortest: () => [
      { of: 'configuration', becomes: configuration.name } as const,
      ...[...objects.wanted()].map(
        ([at, spec]) => ({ of: 'runtime', user: { do: 'set', at, spec } }) as const,
      ),
      ...[...objects.wanted().keys()].flatMap((at) => {
        const to = ACCOUNTS.find((account) => account === accountOf(at));
        return to === undefined ? [] : [{ of: 'move', at, to } as const];
      }),
      // Caches can be wanted when there is a cluster.
      { of: 'process', process: { do: 'wait', ms: 300_000 } } as const,
      ...[...caches].map(([at, upstreams]) => ({ of: 'caches', at, upstreams }) as const),
      ...[...PLACES.keys()].flatMap((at) =>
        [...lastingOf(shootAt(at))].map((does) => ({ of: 'owner', does, at }) as const),
      ),
    ],
    rest: () => surroundings.rest(() => h.wait(SETTLE_MS)),
    remove: async () => {
      await objects.deleteAll();
      await h.wait(SETTLE_MS);
      return leftOf(world);
    },
    violations: () => [
      ...violations,
      ...gardener.client.peekAll(shoots).flatMap((shoot) =>
        [...lastingOf(shoot)]
          .filter((does) => !isMatch(shoot.spec, LASTING_CHANGES[does](shoot)))
          .map((does) => ({
            invariant: 'ownership' as const,
            what: `Shoot ${shoot.metadata.name} has lost a change of others: ${does}`,
          })),
      ),
      ...mostWrites(network.writes),
      // Its watch expires as any other.
      ...gardener.errors
        .filter((error) => !String(error).includes('too old resource version'))
        .map((error) => ({ invariant: 'convergence' as const, what: `gardenlet: ${error}` })),
    ],
    stop: async () => {
      await surroundings.stop();
      await gardener.stop();
    },
  };
}

export const runtimeModule: CampaignModule<RuntimeAction> = { name: 'Runtimes', action, start };
