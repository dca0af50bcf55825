/** KymaClusters on a real API server, with a real mothership. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type KymaCluster,
  type KymaClusterParameters,
  kymaCluster,
  kymaClusterTypes,
} from '../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import {
  clusterProviderConfig,
  clusterProviderConfigs,
  namespacedProviderConfigs,
  providerConfig,
  providerConfigs,
} from '../../../apis/reconciler.kyma-project.io/v1alpha1/providerconfigs.gen.ts';
import { createConcurrencyLimiter } from '../../../internal/base/concurrency/concurrency-limiter.ts';
import { createDeps } from '../../../internal/base/deps.ts';
import { reconciler as module } from '../../../internal/controllers/reconciler/reconciler.ts';
import { createKubeClient } from '../../../internal/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../internal/kube/config/untrusted-kubeconfig.ts';
import type { Secret } from '../../../internal/kube/object/object.ts';
import { namespaces, secrets } from '../../../internal/kube/object/resource-type.ts';
import { createProvider, getCondition } from '../../../internal/managed/index.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds, reconcilerCrds } from '../../environment/install-crds.ts';
import { startComponentReconciler } from '../../environment/mothership/component-reconciler.ts';
import {
  type MothershipProgram,
  startMothershipProgram,
} from '../../environment/mothership/mothership-program.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { startTestDatabases } from '../../environment/postgres/test-databases.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';

const stack = new AsyncDisposableStack();
const broken = new Set<string>();
const namespace = uniqueName('kyma-clusters');
let objects: Objects;
let mothership: MothershipProgram;
let kubeconfig: string;

beforeAll(async () => {
  const { management, kyma } = await controlPlanes();
  kubeconfig = kyma.kubeconfig;
  objects = objectsOf(management);
  await installCrds(management, await reconcilerCrds());
  await objects.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });

  const databases = await startTestDatabases();
  stack.defer(() => databases.close());
  const components = await startComponentReconciler(({ component }) =>
    broken.has(component) ? { callbacks: [{ status: 'error', error: 'no image' }] } : {},
  );
  stack.defer(() => components.close());
  mothership = await startMothershipProgram({
    reconciler: components.url,
    databaseUrl: await databases.server?.createDatabase(),
  });
  stack.defer(() => mothership.stop());

  const deps = createDeps();
  const client = createKubeClient({
    ...deps,
    config: parseUntrustedKubeconfig(management.kubeconfig),
    clusterName: 'management cluster',
  });
  stack.defer(() => client.close());
  const provider = createProvider({
    log: deps.log,
    client,
    settings: { metricsAddress: '127.0.0.1:0', healthAddress: '127.0.0.1:0', pollIntervalMs: 2000 },
  });
  const opened = await module.open({
    deps,
    client,
    cluster: provider.cluster,
    limiter: createConcurrencyLimiter(deps),
    connect: () => {
      throw new Error('the module connects to no other cluster');
    },
    env: {},
    version: 'test',
    flags: { allowPrivateEndpoints: false },
    readOnly: false,
  });
  opened.register(provider);
  const stopping = new AbortController();
  const ended = provider.run(stopping.signal);
  stack.defer(async () => {
    stopping.abort();
    await ended;
  });

  const spec = { url: mothership.url, credentials: { source: 'None' } } as const;
  await objects.apply(providerConfigs, providerConfig({ name: 'kyma-clusters', spec }));
  await objects.apply(clusterProviderConfigs, clusterProviderConfig({ name: 'kyma-clusters', spec }));
});
afterAll(() => stack.disposeAsync());

const giveKubeconfig = (name: string, text = kubeconfig) =>
  objects.apply<Secret>(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    data: { config: Buffer.from(text).toString('base64') },
  });

/** In the namespace, with a kubeconfig of its own Secret. */
const create = (name: string, forProvider: Partial<KymaClusterParameters> = {}) =>
  objects.apply<KymaCluster>(kymaClusterTypes.namespaced, {
    ...kymaCluster({
      name,
      namespace,
      spec: {
        providerConfigRef: { kind: 'ClusterProviderConfig', name: 'kyma-clusters' },
        writeConnectionSecretToRef: { name: `${name}-connection` },
        forProvider: {
          version: '2.20.0',
          components: [{ component: 'a' }],
          kubeconfigSecretRef: { name },
          ...forProvider,
        },
      },
    }),
  });

const find = (name: string) => objects.find<KymaCluster>(kymaClusterTypes.namespaced, { name, namespace });

const becomes = (name: string, check: (cluster: KymaCluster) => void) =>
  eventually(async () => {
    const found = await find(name);
    if (found === undefined) throw new Error(`there is no KymaCluster ${name}`);
    check(found);
    return found;
  });

const isReady =
  (version = '2.20.0') =>
  (cluster: KymaCluster) => {
    expect(getCondition(cluster, 'Ready')).toMatchObject({ status: 'True' });
    expect(getCondition(cluster, 'Synced')).toMatchObject({ status: 'True' });
    expect(cluster.status?.atProvider).toMatchObject({ status: 'ready', kymaVersion: version, failures: [] });
  };

const statusesOf = async (id: string): Promise<string[]> => {
  const { body } = await mothership.call('GET', `/v1/clusters/${id}/statusChanges`);
  return (body as { statusChanges: { status: string }[] }).statusChanges.map(({ status }) => status);
};

test('a cluster is registered with the kubeconfig of its Secret, is ready, and has its statusURL; changes are registered once', async () => {
  await create('shop');
  await becomes('shop', (cluster) =>
    expect(getCondition(cluster, 'Synced')).toMatchObject({
      reason: 'Waiting',
      message: `Secret ${namespace}/shop not found`,
    }),
  );
  await giveKubeconfig('shop');
  const { metadata, status } = await becomes('shop', isReady());
  const id = metadata.uid ?? '';
  expect(metadata.annotations?.['crossplane.io/external-name']).toBe(id);
  const connection = await objects.get<Secret>(secrets, { name: 'shop-connection', namespace });
  expect(Buffer.from(connection.data?.statusURL ?? '', 'base64').toString()).toBe(
    status?.atProvider?.statusURL,
  );
  expect(JSON.stringify(await find('shop'))).not.toContain('client-certificate-data');

  await create('shop', { version: '2.21.0', components: [{ component: 'a' }, { component: 'b' }] });
  const changed = await becomes('shop', isReady('2.21.0'));
  expect(changed.status?.atProvider?.configurationVersion).not.toBe(status?.atProvider?.configurationVersion);

  // A changed kubeconfig is a new version of the cluster.
  await giveKubeconfig('shop', `${kubeconfig}\n# rotated\n`);
  await becomes('shop', (cluster) => {
    isReady('2.21.0')(cluster);
    expect(cluster.status?.atProvider?.clusterVersion).not.toBe(changed.status?.atProvider?.clusterVersion);
  });
  // Polls register nothing: three changes gave three runs.
  await new Promise((done) => setTimeout(done, 5000));
  expect(await statusesOf(id)).toHaveLength(9);
});

test('failing components are in the status, with their reasons', async () => {
  broken.add('broken');
  await giveKubeconfig('sick');
  await create('sick', { components: [{ component: 'broken' }] });
  const sick = await becomes('sick', ({ status }) =>
    expect(status?.atProvider?.failures).toEqual([{ component: 'broken', reason: 'no image' }]),
  );
  expect(getCondition(sick, 'Ready')).toMatchObject({
    status: 'False',
    message: 'the cluster is reconcile_error_retryable: broken: no image',
  });
});

test('deleting the resource deletes the cluster, unless its policies leave it; a missing Secret does not matter', async () => {
  await giveKubeconfig('gone');
  await create('gone');
  const { metadata } = await becomes('gone', isReady());
  await objects.delete(secrets, { name: 'gone', namespace });
  await objects.delete(kymaClusterTypes.namespaced, { name: 'gone', namespace });
  await eventually(async () => expect(await find('gone')).toBeUndefined());
  const deleted = await mothership.call('GET', `/v1/clusters/${metadata.uid}/status`);
  expect(deleted.status).toBe(404);

  await giveKubeconfig('left');
  await create('left', { runtimeID: 'left-runtime' });
  await objects.patch(
    kymaClusterTypes.namespaced,
    { name: 'left', namespace },
    {
      spec: { managementPolicies: ['Create', 'Observe', 'Update', 'LateInitialize'] },
    },
  );
  await becomes('left', isReady());
  await objects.delete(kymaClusterTypes.namespaced, { name: 'left', namespace });
  await eventually(async () => expect(await find('left')).toBeUndefined());
  expect((await mothership.call('GET', '/v1/clusters/left-runtime/status')).status).toBe(200);
});

test('a cluster-scoped KymaCluster uses a ProviderConfig of the cluster', async () => {
  const name = uniqueName('cluster-scoped');
  await giveKubeconfig(name);
  await objects.apply<KymaCluster>(
    kymaClusterTypes.cluster,
    kymaCluster({
      name,
      spec: {
        providerConfigRef: { name: 'kyma-clusters' },
        forProvider: {
          version: '2.20.0',
          kubeconfigSecretRef: { name, namespace },
          components: [
            { component: 'a', configuration: [{ key: 'global.replicas', value: '3', format: 'JSON' }] },
          ],
        },
      },
    }),
  );
  await eventually(async () => isReady()(await objects.get<KymaCluster>(kymaClusterTypes.cluster, { name })));
  await objects.delete(kymaClusterTypes.cluster, { name });
  await eventually(async () =>
    expect(await objects.find(kymaClusterTypes.cluster, { name })).toBeUndefined(),
  );
});

test('a namespaced KymaCluster does not get hold of a cluster of others by its id', async () => {
  const body = {
    runtimeID: 'of-others',
    runtimeInput: { name: 'others/shop' },
    kubeconfig,
    kymaConfig: { version: '2.0.0', components: [] },
  };
  expect(await mothership.call('POST', '/v1/clusters', { body })).toMatchObject({ status: 200 });
  await giveKubeconfig('thief');
  await create('thief', { runtimeID: 'of-others' });
  await becomes('thief', (cluster) =>
    expect(getCondition(cluster, 'Synced')).toMatchObject({
      reason: 'ReconcileError',
      message: expect.stringContaining(
        'cannot manage cluster of-others: it was not registered from this namespace',
      ),
    }),
  );
  expect((await mothership.call('GET', '/v1/clusters/state?runtimeID=of-others')).body).toMatchObject({
    cluster: { runtime: { name: 'others/shop' } },
    configuration: { kymaVersion: '2.0.0' },
  });
  await objects.delete(kymaClusterTypes.namespaced, { name: 'thief', namespace });
  await eventually(async () => expect(await find('thief')).toBeUndefined());
  expect((await mothership.call('GET', '/v1/clusters/of-others/status')).body).not.toMatchObject({
    status: expect.stringContaining('delet'),
  });
});

test('a ProviderConfig in a namespace cannot lead to a local address', async () => {
  await objects.apply(
    namespacedProviderConfigs,
    providerConfig({
      name: 'own',
      namespace,
      spec: { url: mothership.url, credentials: { source: 'None' } },
    }),
  );
  await giveKubeconfig('local');
  const local = await create('local');
  await objects.patch(
    kymaClusterTypes.namespaced,
    { name: local.metadata.name, namespace },
    {
      spec: { providerConfigRef: { kind: 'ProviderConfig', name: 'own' } },
    },
  );
  await becomes('local', (cluster) =>
    expect(getCondition(cluster, 'Synced')?.message).toContain('the url of the ProviderConfig is refused'),
  );
});
