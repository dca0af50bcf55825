/**
 * The life of a Runtime on a real control plane, a real gardener-apiserver and a real API server as its cluster, from its creation to
 * its deletion.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Shoot, shoots } from '../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import { valueAt } from '../../../internal/framework/base/json/json-value.ts';
import { nopLogger as log } from '../../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import {
  type ControllerManager,
  createControllerManager,
} from '../../../internal/framework/controller/index.ts';
import type { RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import {
  type ClusterPool,
  type ConnectCluster,
  createCluster,
  createClusterPool,
  isConflict,
  isNotFound,
  type KubeObject,
  namespaces,
  parseUntrustedKubeconfig,
  secrets,
} from '../../../internal/framework/kube/index.ts';
import { createFakeRecorder } from '../../../internal/framework/managed/fakes/index.ts';
import { createPrometheusMetrics } from '../../../internal/framework/process/index.ts';
import { gardenerClusterKind } from '../../../internal/systems/infrastructure-manager/gardenercluster/kind.ts';
import { annotationRuntimeId } from '../../../internal/systems/infrastructure-manager/metadata.ts';
import {
  kymas,
  registryCacheConfigs,
} from '../../../internal/systems/infrastructure-manager/registry-cache-config.ts';
import {
  cacheConfig,
  kymaWith,
} from '../../../internal/systems/infrastructure-manager/registrycache/fixtures/registry-module.fixture.ts';
import { registryCacheKind } from '../../../internal/systems/infrastructure-manager/registrycache/kind.ts';
import { createShootRendering } from '../../../internal/systems/infrastructure-manager/rendering/shoot-rendering.ts';
import {
  clusterRoleBindings,
  openIdConnectType,
} from '../../../internal/systems/infrastructure-manager/runtime/cluster/access.ts';
import { runtimeKind } from '../../../internal/systems/infrastructure-manager/runtime/kind.ts';
import { configurationOf, pool, runtimeOf, zonesOf } from '../../contract/gardener/rendering/choices.ts';
import { eventually } from '../../environment/eventually.ts';
import type { ForeignCopies } from '../../environment/foreign-copies.ts';
import { infrastructureManagerCrds, installCrds } from '../../environment/install-crds.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { kubeconfigSecrets, placeCopiesOn } from '../harness/foreign-copies.ts';
import { type GardenProject, sharedGarden } from '../harness/gardener/garden.ts';
import { openProjectWithClusters, type ProjectWithClusters } from '../harness/gardener/shoot-plane.ts';
import { connect } from '../kube/connect.ts';

let plane: ControlPlane;
/** Of the Secrets of GardenerClusters. */
let copies: ForeignCopies;
let clusters: ProjectWithClusters;
let project: GardenProject;
/** An administrator of the cluster of the Shoot. */
let runtimeCluster: RestClient;
let client: RestClient;
let connections: ClusterPool;
let manager: ControllerManager;
let ended: Promise<void>;
const stopping = new AbortController();

beforeAll(async () => {
  const garden = await sharedGarden();
  [plane, clusters] = await Promise.all([startControlPlane({ name: 'kcp' }), openProjectWithClusters()]);
  project = clusters.project;
  runtimeCluster = connect(clusters.shootPlane.kubeconfig);
  await installCrds(plane, await infrastructureManagerCrds());
  client = connect(plane.kubeconfig);
  copies = placeCopiesOn(plane, kubeconfigSecrets);
  const metrics = createPrometheusMetrics();
  const clusterOf = (kubeconfig: string, settings: { name?: string; required?: boolean }) =>
    createCluster({
      clock: systemClock,
      log,
      metrics,
      config: parseUntrustedKubeconfig(kubeconfig),
      ...settings,
    });
  const cluster = clusterOf(plane.kubeconfig, {});
  const gardener = clusterOf(garden.kubeconfig, { name: 'gardener', required: false });
  manager = createControllerManager({
    cluster,
    log,
    metrics,
    settings: { metricsAddress: '127.0.0.1:0', healthAddress: '127.0.0.1:0' },
  });
  manager.addCluster(gardener);
  const ofGardener = { cluster: gardener, client: gardener.client, project: project.project };
  const connectRuntime: ConnectCluster = (config, settings) =>
    createCluster({ clock: systemClock, log, metrics, config, ...settings });
  const { objectWatcher } = cluster;
  connections = createClusterPool({
    ...{ clock: systemClock, log, metrics, client: cluster.client, objectWatcher, connect: connectRuntime },
  });
  manager.addReconciled(
    gardenerClusterKind({
      ...{ gardener: ofGardener, connect: connectRuntime, clusters: connections, metrics },
      client: cluster.client,
      rotation: { expirationMs: 3_600_000, minimalRotation: 0.6 },
      ...{ workers: 5, externalTimeoutMs: 30_000 },
    }),
  );
  manager.addReconciled(registryCacheKind({ clusters: connections, pollMs: 2000 }));
  manager.addReconciled(
    runtimeKind({
      gardener: ofGardener,
      clusters: connections,
      namespace: NAMESPACE,
      accessControlEnabled: false,
      auditLogsEnabled: false,
      rendering: createShootRendering(configurationOf(project.project)),
      settings: { auditLogMandatory: false, upgradeShoots: false, registryCaches: true },
      onConfigurationChange: () => () => undefined,
      onUnexpectedStop: () => undefined,
      workers: 5,
      externalTimeoutMs: 30_000,
      deletions: {
        ...createDeps({ clock: systemClock, log }),
        recorder: createFakeRecorder(),
        threshold: 20,
      },
    }),
  );
  ended = manager.run(stopping.signal).finally(() => {
    connections.close();
    return cluster.close();
  });
  ended.catch(() => undefined);
}, 120_000);

afterAll(async () => {
  stopping.abort();
  await ended;
  await client?.close();
  await runtimeCluster?.close();
  try {
    await copies?.stop();
  } finally {
    await plane?.stop();
    await clusters?.stop();
  }
});

const NAMESPACE = 'default';
const zones = zonesOf('aws');
const main = pool('aws', zones.slice(0, 2));
const extra = pool('aws', zones.slice(2, 3), { name: 'extra', minimum: 0 });
const runtime = (workers: Parameters<typeof runtimeOf>[2]): Runtime => {
  const { metadata, ...rest } = runtimeOf('aws', 'life', workers);
  return { ...rest, metadata: { ...metadata, namespace: NAMESPACE } };
};
const key = { namespace: NAMESPACE, name: 'life' };

const shoot = (): Promise<Shoot> =>
  project.client.get(shoots, { namespace: project.namespace, name: 'life' });
const provisioned = async () => {
  const { status } = await client.get(runtimes, key);
  const condition = status?.conditions?.find(({ type }) => type === 'Provisioned');
  return `${status?.state} ${condition?.status} ${condition?.reason}`;
};

/** Waits until the change is in the Shoot, Gardener has handled it, and the Runtime shows it. */
async function completed(check: (shoot: Shoot) => void): Promise<void> {
  await eventually(
    async () => {
      const live = await shoot();
      check(live);
      expect(live.status?.observedGeneration).toBe(live.metadata.generation);
      expect(await provisioned()).toMatch(/^Ready True (ShootCreation|Configuration)Completed$/);
    },
    { timeoutMs: 30_000 },
  );
}

async function change(workers: Parameters<typeof runtimeOf>[2]): Promise<void> {
  const provider = runtime(workers).spec?.shoot.provider;
  // A merge patch keeps what it does not name.
  const body = { spec: { shoot: { provider: { additionalWorkers: null, ...provider } } } };
  await client.mergePatch(runtimes, key, body);
}

/** Administrators of the cluster, and issuers that it trusts. */
async function configured(): Promise<readonly (readonly (string | undefined)[])[]> {
  const bindings = await runtimeCluster.list(clusterRoleBindings, {
    labelSelector: 'reconciler.kyma-project.io/managed-by=infrastructure-manager',
  });
  const issuers = await runtimeCluster.list(openIdConnectType);
  const isOwn = ({ metadata }: KubeObject) => !clusters.copies.isCopy(metadata.name);
  return [
    bindings.items
      .filter(isOwn)
      .flatMap(({ subjects = [] }) => subjects.map(({ name }) => name))
      .sort(),
    issuers.items
      .filter(isOwn)
      .map(({ spec }) => spec?.issuerURL)
      .sort(),
  ];
}

async function configure(administrators: readonly string[], issuers: readonly string[]): Promise<void> {
  const additionalOidcConfig = issuers.map((issuerURL) => ({ issuerURL, clientID: 'client' }));
  const kubernetes = { kubeAPIServer: { additionalOidcConfig } };
  await client.mergePatch(runtimes, key, { spec: { security: { administrators }, shoot: { kubernetes } } });
  await eventually(
    async () => {
      expect(await configured()).toEqual([administrators, issuers]);
      expect(await provisioned()).toMatch(/^Ready /);
    },
    { timeoutMs: 30_000 },
  );
}

const secretKey = () => ({ namespace: NAMESPACE, name: `kubeconfig-${key.name}` });
const kubeconfig = async () =>
  Buffer.from((await client.get(secrets, secretKey())).data?.config ?? '', 'base64').toString();

async function rotate(): Promise<void> {
  const before = await kubeconfig();
  await client.mergePatch(
    gardenerClusters,
    { namespace: NAMESPACE, name: key.name },
    {
      metadata: { annotations: { 'operator.kyma-project.io/force-kubeconfig-rotation': 'true' } },
    },
  );
  await eventually(async () => expect(await kubeconfig()).not.toBe(before), { timeoutMs: 30_000 });
  const user = connect(await kubeconfig());
  try {
    expect((await user.list(clusterRoleBindings)).items.length).toBeGreaterThan(0);
  } finally {
    await user.close();
  }
}

/** The users of the cluster ask for caches of these registries. */
async function cache(upstreams: readonly string[]): Promise<void> {
  const caches = upstreams.map((upstream) => ({ upstream, volume: { size: '20Gi' } }));
  const { metadata, spec } = kymaWith(['registry-cache']);
  await runtimeCluster.mergePatch(kymas, metadata, { spec });
  const known = await runtimeCluster.list(registryCacheConfigs);
  for (const { metadata } of known.items) await runtimeCluster.delete(registryCacheConfigs, metadata);
  for (const [index, spec] of caches.entries())
    await runtimeCluster.create(registryCacheConfigs, cacheConfig(`cache-${index}`, spec));
  await eventually(
    async () => {
      const { spec } = await shoot();
      const extension = spec?.extensions?.find(({ type }) => type === 'registry-cache');
      expect(valueAt(extension?.providerConfig, ['caches'])).toEqual(
        upstreams.length === 0 ? undefined : caches,
      );
      expect(await provisioned()).toMatch(/^Ready /);
    },
    { timeoutMs: 30_000 },
  );
}

const poolsOf = ({ spec }: Shoot) => spec?.provider.workers ?? [];
const networksOf = ({ spec }: Shoot): readonly unknown[] => {
  const networks = valueAt(spec?.provider.infrastructureConfig, ['networks', 'zones']);
  return Array.isArray(networks) ? networks : [];
};

/** Gardener upgrades Kubernetes by itself. */
async function upgrade(): Promise<void> {
  const { spec, ...live } = await shoot();
  if (spec === undefined) throw new Error('a Shoot without spec');
  const { managedFields: _, ...metadata } = live.metadata;
  const kubernetes = { ...spec.kubernetes, version: '1.31.8' };
  try {
    await project.client.update(shoots, { ...live, metadata, spec: { ...spec, kubernetes } });
  } catch (error) {
    if (!isConflict(error)) throw error;
    await upgrade();
  }
}

test('[I59] [I60] [I61] the life of a Runtime', async () => {
  // As in each runtime: the lifecycle manager has made a Kyma, which names no module yet.
  await runtimeCluster.create(namespaces, namespaceManifest('kyma-system'));
  await runtimeCluster.create(kymas, kymaWith([]));
  await client.create(runtimes, runtime([main]));
  await completed((live) => expect(networksOf(live)).toHaveLength(2));
  const networks = networksOf(await shoot());

  await change([{ ...main, machine: { ...main.machine, type: 'm6i.xlarge' } }]);
  await completed((live) => expect(poolsOf(live)[0]?.machine.type).toBe('m6i.xlarge'));

  await change([{ ...main, maximum: 33 }]);
  await completed((live) => expect(poolsOf(live)[0]).toMatchObject({ maximum: 33, machine: main.machine }));

  await change([{ ...main, zones: zones.slice(0, 3) }]);
  await completed((live) => expect(poolsOf(live)[0]?.zones).toEqual(zones.slice(0, 3)));

  await change([main, extra]);
  await completed((live) => expect(poolsOf(live).map(({ name }) => name)).toEqual([main.name, 'extra']));

  const shared = configurationOf(project.project).cluster.defaultSharedIASTenant.issuerURL;
  expect((await configured())[1]).toEqual([shared]);
  await configure(['a@example.org', 'b@example.org'], ['https://one.example.org', 'https://two.example.org']);
  await configure(['b@example.org'], ['https://two.example.org']);
  await rotate();

  await cache(['docker.io']);
  await cache(['docker.io', 'ghcr.io']);
  await cache([]);

  await upgrade();
  await change([{ ...main, maximum: 34 }]);
  await completed((live) => {
    expect(poolsOf(live).map(({ name, maximum }) => [name, maximum])).toEqual([[main.name, 34]]);
    expect(live.spec?.kubernetes.version).toBe('1.31.8');
    expect(networksOf(live).slice(0, 2)).toEqual(networks);
    expect(networksOf(live)).toHaveLength(3);
  });

  await client.delete(runtimes, key);
  const isGone = (gone: Promise<unknown>) => gone.then(() => false, isNotFound);
  await eventually(
    async () =>
      expect([
        await isGone(shoot()),
        await isGone(client.get(runtimes, key)),
        await isGone(client.get(secrets, secretKey())),
      ]).toEqual([true, true, true]),
    { timeoutMs: 60_000 },
  );
  expect(project.errors).toEqual([]);
}, 360_000);

test('of two Runtimes that name one Shoot the older has it, and the deletion of the other leaves it', async () => {
  const named = (name: string): Runtime => {
    const { metadata, spec, ...rest } = runtime([main]);
    if (spec === undefined) throw new Error('a Runtime without spec');
    const labels = { ...metadata.labels, 'kyma-project.io/runtime-id': name };
    return {
      ...rest,
      metadata: { ...metadata, name, labels },
      spec: { ...spec, shoot: { ...spec.shoot, name: 'claimed' } },
    };
  };
  const at = (name: string) => ({ namespace: NAMESPACE, name });
  const claimed = () => project.client.get(shoots, { namespace: project.namespace, name: 'claimed' });
  const shown = async (name: string) => {
    const { status } = await client.get(runtimes, at(name));
    const condition = status?.conditions?.find(({ type }) => type === 'Provisioned');
    return `${status?.state} ${condition?.reason} ${condition?.message}`;
  };
  const isGone = (gone: Promise<unknown>) => gone.then(() => false, isNotFound);
  await client.create(runtimes, named('older'));
  await eventually(async () => expect(await shown('older')).toMatch(/^Ready /), { timeoutMs: 60_000 });
  const { uid, generation, annotations = {} } = (await claimed()).metadata;
  expect(annotations[annotationRuntimeId]).toBe('older');

  await client.create(runtimes, named('younger'));
  await eventually(
    async () =>
      expect(await shown('younger')).toContain(
        `Failed ShootNotOwned cannot adopt Shoot ${project.namespace}/claimed: it belongs to Runtime ${NAMESPACE}/older, not to Runtime ${NAMESPACE}/younger`,
      ),
    { timeoutMs: 30_000 },
  );
  await client.delete(runtimes, at('younger'));
  await eventually(async () => expect(await isGone(client.get(runtimes, at('younger')))).toBe(true), {
    timeoutMs: 60_000,
  });
  const { metadata } = await claimed();
  expect(metadata).toMatchObject({ uid, generation, annotations: { [annotationRuntimeId]: 'older' } });
  expect(metadata.deletionTimestamp).toBeUndefined();
  await client.get(gardenerClusters, at('older'));
  await client.get(secrets, at('kubeconfig-older'));

  await client.delete(runtimes, at('older'));
  await eventually(async () => expect(await isGone(claimed())).toBe(true), { timeoutMs: 60_000 });
  expect(project.errors).toEqual([]);
}, 240_000);
