/** Resources that wait for what is missing, and nothing but the watch says when it is there. */
import type { KymaInstanceMapping } from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import {
  type KymaCluster,
  kymaClusterTypes,
} from '../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import {
  clusterProviderConfig,
  clusterProviderConfigs,
} from '../../apis/reconciler.kyma-project.io/v1alpha1/providerconfigs.gen.ts';
import { createDeps } from '../../internal/framework/base/deps.ts';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../internal/framework/kube/fakes/memory-client.ts';
import { type KubeClient, type Secret, secrets } from '../../internal/framework/kube/index.ts';
import { createObjectWatcher } from '../../internal/framework/kube/watched-objects/object-watcher.ts';
import { reconciledManagedKind } from '../../internal/framework/managed/reconciled-kind.ts';
import { startInstanceHarness } from '../../internal/systems/btp/serviceinstance/fixtures/instance-harness.fixture.ts';
import { createMothershipTokens } from '../../internal/systems/reconciler/client/oauth-tokens.ts';
import { createFakeMothership } from '../../internal/systems/reconciler/kyma-cluster/fake-mothership.fixture.ts';
import { readKubeconfig } from '../../internal/systems/reconciler/kyma-cluster/kubeconfig.ts';
import {
  fakeCluster,
  namespace,
} from '../../internal/systems/reconciler/kyma-cluster/kyma-cluster.fixture.ts';
import {
  createExternalClient,
  isOwnerGone,
  kymaClusterKind,
} from '../../internal/systems/reconciler/kyma-cluster/kyma-cluster.ts';
import { startManagedProcess } from '../campaign/actions/managed-process.ts';
import { KYMA_INPUTS, kymaMappingCampaign } from '../campaign/inventory/kyma-mapping-module.ts';

/** A resource that is not settled, for lack of one thing. */
export interface WaitingResource {
  isSettled(): boolean;
  /** Creates what is missing. */
  provide(): Promise<unknown>;
  wait(ms: number): Promise<void>;
  stop(): Promise<void>;
}

const spec = {
  deletionPolicy: 'Delete',
  forProvider: {
    kymaConnectionRef: { secretRef: { namespace: 'default', name: 'kyma' }, kubeconfigKey: 'kubeconfig' },
    serviceInstanceRef: { namespace: 'shop', name: 'hana' },
    adminBindingRef: { namespace: 'shop', name: 'admin' },
    clusterIdConfigMapRef: { namespace: 'shop', name: 'c-1' },
  },
} as KymaInstanceMapping['spec'];

async function mappingWithout(missing: string): Promise<WaitingResource> {
  let provide: () => Promise<unknown> = async () => undefined;
  const campaign = kymaMappingCampaign(async (inputs: KubeClient) => {
    for (const [name, create] of Object.entries(KYMA_INPUTS))
      if (name === missing) provide = () => create(inputs);
      else await create(inputs);
  });
  const system = await campaign.start();
  const wait = (ms: number) => system.perform({ of: 'process', process: { do: 'wait', ms } });
  await system.perform({ of: 'mapping', user: { do: 'set', at: 0, spec } });
  return {
    ...{ provide: () => provide(), wait, stop: () => system.stop() },
    isSettled: () => system.unsettled().length === 0,
  };
}

async function instanceWithoutParameters(): Promise<WaitingResource> {
  const h = await startInstanceHarness();
  await h.create({ parametersFrom: [{ secretKeyRef: { name: 'missing', key: 'parameters' } }] });
  return {
    isSettled: () => h.condition('Ready')?.startsWith('True') ?? false,
    provide: () => h.putSecret('missing', { one: 1 }),
    ...{ wait: h.wait, stop: h.stop },
  };
}

const kubeconfigOf = (text: string): Secret => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 'kubeconfig' } },
  data: { config: Buffer.from(text).toString('base64') },
});

/** A KymaCluster `shop`, whose external client is that of the program or one of a fake mothership. */
async function startKymaCluster({ isFake }: { readonly isFake: boolean }) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const mothership = createFakeMothership();
  const deps = createDeps({ clock, random: () => 0.5 });
  const objectWatcher = createObjectWatcher({ ...deps, client });
  const cluster = { ...fakeCluster, objectWatcher };
  const kind = kymaClusterKind({
    ...{ client, cluster, scope: 'namespaced', deps, env: {}, readOnly: false },
    ...{ flags: { allowPrivateEndpoints: false }, tokens: createMothershipTokens(deps) },
  });
  const connector = {
    connect: async (resource: KymaCluster, { signal }: { readonly signal: AbortSignal }) =>
      createExternalClient(
        mothership.client,
        () => readKubeconfig({ client, cluster }, resource, signal),
        (owner) => isOwnerGone(client, owner, signal),
      ),
  };
  const type = kymaClusterTypes.namespaced;
  const users = client.otherProgram();
  await users.create(type, {
    ...{ apiVersion: type.apiVersion, kind: type.kind, metadata: { namespace, name: 'shop' } },
    spec: {
      providerConfigRef: { kind: 'ClusterProviderConfig', name: 'default' },
      forProvider: {
        ...{ runtimeID: 'r-1', version: '2.20.0', components: [{ component: 'a' }] },
        kubeconfigSecretRef: { name: 'kubeconfig' },
      },
    },
  } as unknown as KymaCluster);
  const process = startManagedProcess({
    ...{ clock, client, fence: () => undefined },
    kinds: (build, options) => [
      build(
        reconciledManagedKind(isFake ? { ...kind, connector } : kind, { ...deps, client, objectWatcher }),
        options,
      ),
    ],
  });
  return {
    ...{ client, users, mothership },
    stored: () => client.peek(type, { namespace, name: 'shop' }),
    wait: (ms: number) => clock.advance(ms),
    stop: async () => {
      await process.stop();
      objectWatcher.close();
    },
  };
}

async function clusterWithoutKubeconfig(): Promise<WaitingResource> {
  const { users, mothership, wait, stop } = await startKymaCluster({ isFake: true });
  return {
    isSettled: () => mothership.clusters.has('r-1'),
    provide: () => users.create(secrets, kubeconfigOf('kubeconfig: 1')),
    ...{ wait, stop },
  };
}

async function clusterWithNewKubeconfig(): Promise<WaitingResource> {
  const { users, mothership, wait, stop } = await startKymaCluster({ isFake: true });
  await users.create(secrets, kubeconfigOf('kubeconfig: 1'));
  await wait(10_000);
  mothership.becomes('r-1', 'ready');
  const { data } = kubeconfigOf('kubeconfig: 2');
  return {
    isSettled: () => mothership.clusters.get('r-1')?.document.kubeconfig === 'kubeconfig: 2',
    provide: () => users.mergePatch(secrets, { namespace, name: 'kubeconfig' }, { data }),
    ...{ wait, stop },
  };
}

/** It says what its credentials lack once they are there. */
async function clusterWithoutCredentials(): Promise<WaitingResource> {
  const { client, users, stored, wait, stop } = await startKymaCluster({ isFake: false });
  const secretRef = { namespace: 'system', name: 'credentials', key: 'token' };
  client.seed(
    clusterProviderConfigs,
    clusterProviderConfig({
      name: 'default',
      spec: {
        url: 'https://mothership.example.org',
        credentials: { source: 'Secret', secretRef },
      },
    } as unknown as Parameters<typeof clusterProviderConfig>[0]),
  );
  return {
    isSettled: () => {
      const message = stored()?.status?.conditions?.find(({ type }) => type === 'Synced')?.message ?? '';
      return !message.includes('not found');
    },
    provide: () =>
      users.create(secrets, {
        ...{ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'system', name: 'credentials' } },
        data: {},
      }),
    ...{ wait, stop },
  };
}

export const WAITING: readonly (readonly [string, () => Promise<WaitingResource>])[] = [
  ...Object.keys(KYMA_INPUTS).map(
    (kind) => [`KymaInstanceMapping without its ${kind}`, () => mappingWithout(kind)] as const,
  ),
  ['ServiceInstance without its parameters', instanceWithoutParameters],
  ['KymaCluster without its kubeconfig', clusterWithoutKubeconfig],
  ['KymaCluster with another kubeconfig', clusterWithNewKubeconfig],
  ['KymaCluster without its credentials', clusterWithoutCredentials],
];
