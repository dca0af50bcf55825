/** KymaClusters on a real API server, with a real mothership and the controllers of the module. */
import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import {
  type KymaCluster,
  type KymaClusterParameters,
  kymaCluster,
  kymaClusterTypes,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import {
  clusterProviderConfig,
  clusterProviderConfigs,
  providerConfig,
  providerConfigs,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/providerconfigs.gen.ts';
import { createConcurrencyLimiter } from '../../../../internal/framework/base/concurrency/concurrency-limiter.ts';
import { createDeps } from '../../../../internal/framework/base/deps.ts';
import { createKubeClient } from '../../../../internal/framework/kube/client/rest-client.ts';
import { parseUntrustedKubeconfig } from '../../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import type { KubeObject, Secret } from '../../../../internal/framework/kube/object/object.ts';
import { namespaces, secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { createProvider } from '../../../../internal/framework/managed/index.ts';
import { reconciler as module } from '../../../../internal/systems/reconciler/kyma-cluster/reconciler.ts';
import type { MothershipFlags } from '../../../../internal/systems/reconciler/mothership/config/start-flags.ts';
import { eventually } from '../../../environment/eventually.ts';
import { installCrds, reconcilerCrds } from '../../../environment/install-crds.ts';
import { startComponentReconciler } from '../../../environment/mothership/component-reconciler.ts';
import {
  type MothershipProgram,
  startMothershipProgram,
} from '../../../environment/mothership/mothership-program.ts';
import { type Objects, objectsOf } from '../../../environment/objects.ts';
import { startTestDatabases } from '../../../environment/postgres/test-databases.ts';
import { controlPlanes, uniqueName } from '../../harness/control-planes/control-planes.ts';
import { connectionSecrets, placeCopiesOn } from '../../harness/foreign-copies.ts';

export interface KymaClusterEnvironment extends AsyncDisposable {
  /** With the Secrets and the KymaClusters of a test. */
  readonly namespace: string;
  readonly objects: Objects;
  readonly mothership: MothershipProgram;
  /** Of the cluster on which components are installed. */
  readonly kubeconfig: string;
  /** Names of components that fail. */
  readonly broken: Set<string>;
  /** Another one, with a database of its own. The caller stops it. */
  startMothership(flags: Partial<MothershipFlags>): Promise<MothershipProgram>;
  giveKubeconfig(name: string, text?: string): Promise<unknown>;
  giveSecret(name: string, values: Readonly<Record<string, string>>): Promise<unknown>;
  /** In the namespace, with a kubeconfig of its own Secret. */
  create(name: string, forProvider?: Partial<KymaClusterParameters>): Promise<KymaCluster>;
  find(name: string): Promise<KymaCluster | undefined>;
  becomes(name: string, check: (cluster: KymaCluster) => void): Promise<KymaCluster>;
}

export interface KymaClusterEnvironmentOptions {
  readonly pollIntervalMs: number;
}

/** Name of the ProviderConfig and of the ClusterProviderConfig. */
const CONFIG = 'kyma-clusters';

export async function startKymaClusters(
  options: KymaClusterEnvironmentOptions,
): Promise<KymaClusterEnvironment> {
  await using stack = new AsyncDisposableStack();
  const { management, kyma } = await controlPlanes();
  const namespace = uniqueName('kyma-clusters');
  const objects = objectsOf(management);
  await installCrds(management, await reconcilerCrds());
  await objects.apply(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });

  const copies = placeCopiesOn(management, connectionSecrets(namespace));
  stack.defer(() => copies.stop());
  const databases = await startTestDatabases();
  stack.defer(() => databases.close());
  const broken = new Set<string>();
  const components = await startComponentReconciler(({ component }) =>
    broken.has(component) ? { callbacks: [{ status: 'error', error: 'no image' }] } : {},
  );
  stack.defer(() => components.close());
  const startMothership = async (flags: Partial<MothershipFlags> = {}) => {
    const databaseUrl = await databases.server?.createDatabase();
    return startMothershipProgram({ reconciler: components.url, databaseUrl, flags });
  };
  const mothership = await startMothership();
  stack.defer(() => mothership.stop());

  await applyRights(objects);
  stack.defer(await startModule(await management.addUser({ name: ACCOUNT }), options));
  const spec = { url: mothership.url, credentials: { source: 'None' } } as const;
  await objects.apply(providerConfigs, providerConfig({ name: CONFIG, spec }));
  await objects.apply(clusterProviderConfigs, clusterProviderConfig({ name: CONFIG, spec }));

  const giveSecret = (name: string, values: Readonly<Record<string, string>>) =>
    objects.apply<Secret>(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      data: Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    });
  const find = (name: string) => objects.find<KymaCluster>(kymaClusterTypes.namespaced, { name, namespace });
  const owned = stack.move();
  return {
    namespace,
    objects,
    mothership,
    broken,
    startMothership,
    kubeconfig: kyma.kubeconfig,
    giveSecret,
    giveKubeconfig: (name, text = kyma.kubeconfig) => giveSecret(name, { config: text }),
    create: (name, forProvider = {}) =>
      objects.apply<KymaCluster>(
        kymaClusterTypes.namespaced,
        kymaCluster({
          name,
          namespace,
          spec: {
            providerConfigRef: { kind: 'ClusterProviderConfig', name: CONFIG },
            writeConnectionSecretToRef: { name: `${name}-connection` },
            forProvider: {
              version: '2.20.0',
              components: [{ component: 'a' }],
              kubeconfigSecretRef: { name },
              ...forProvider,
            },
          },
        }),
      ),
    find,
    becomes: (name, check) =>
      eventually(async () => {
        const found = await find(name);
        if (found === undefined) throw new Error(`there is no KymaCluster ${name}`);
        check(found);
        return found;
      }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Of the controllers, with the rights of the chart and no others. */
const ACCOUNT = 'system:serviceaccount:kyma-clusters:provider-kyma';

async function applyRights(objects: Objects): Promise<void> {
  const manifest = new URL(
    '../../../../package/reconciler/chart/files/kyma-clusters-rbac.yaml',
    import.meta.url,
  );
  const text = await readFile(manifest, 'utf8');
  for (const document of parseAllDocuments(text.replace('crossplane-system', 'kyma-clusters'))) {
    const object = document.toJS() as KubeObject;
    const [group = '', version = ''] = object.apiVersion.split('/');
    const plural = `${object.kind.toLowerCase()}s`;
    await objects.apply({ group, version, kind: object.kind, plural, namespaced: false }, object);
  }
}

/** Runs the controllers of the module. @returns stops them */
async function startModule(
  kubeconfig: string,
  { pollIntervalMs }: Pick<KymaClusterEnvironmentOptions, 'pollIntervalMs'>,
): Promise<() => Promise<void>> {
  const deps = createDeps();
  const client = createKubeClient({
    ...deps,
    config: parseUntrustedKubeconfig(kubeconfig),
    clusterName: 'management cluster',
  });
  const provider = createProvider({
    log: deps.log,
    client,
    settings: { metricsAddress: '127.0.0.1:0', healthAddress: '127.0.0.1:0', pollIntervalMs },
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
  return async () => {
    stopping.abort();
    await ended;
    await opened.close();
    await client.close();
  };
}
