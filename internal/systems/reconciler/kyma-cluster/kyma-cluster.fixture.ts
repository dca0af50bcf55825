/** A KymaCluster on an API server in memory, with a fake mothership. */
import {
  type KymaCluster,
  type KymaClusterParameters,
  kymaCluster,
} from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { createDeps } from '../../../framework/base/deps.ts';
import type { WatchedObject } from '../../../framework/base/errors/errors.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import type { Secret } from '../../../framework/kube/object/object.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { createKindHarness } from '../../../framework/managed/fakes/index.ts';
import { getCondition } from '../../../framework/managed/index.ts';
import type { ModuleContext } from '../../../framework/module/module.ts';
import { createMothershipTokens } from '../client/oauth-tokens.ts';
import { createFakeMothership } from './fake-mothership.fixture.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { createExternalClient, isOwnerGone, kymaClusterKind } from './kyma-cluster.ts';

/** Of the resource and the Secret `kubeconfig`. */
export const namespace = 'team';
const kubeconfigOf = (text: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'kubeconfig', namespace },
  data: { config: Buffer.from(text).toString('base64') },
});

/** Its watched objects never change. */
export const fakeCluster = {
  objectWatcher: {
    target: (type: { kind: string }, key: { name: string }, version: string): WatchedObject => ({
      description: `${type.kind} ${key.name} ${version === 'absent' ? 'absent' : 'found'}`,
      watch: () => () => undefined,
    }),
  },
} as unknown as ModuleContext['cluster'];

export interface KymaClusterGiven {
  readonly forProvider?: Partial<KymaClusterParameters>;
  readonly spec?: Partial<KymaCluster['spec']>;
  readonly clusterScoped?: true;
  /** Default: one. */
  readonly kubeconfig?: string | null;
}

/** A KymaCluster `shop` with the runtimeID `r-1`, reconciled on an API server in memory with a fake mothership. */
export function createKymaClusterHarness({
  forProvider,
  spec,
  clusterScoped,
  kubeconfig = 'kubeconfig: 1',
}: KymaClusterGiven = {}) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  if (kubeconfig !== null) client.seed(secrets, kubeconfigOf(kubeconfig));
  const mothership = createFakeMothership();
  const scope = clusterScoped ? 'cluster' : 'namespaced';
  const deps = createDeps({ clock, random: () => 0.5 });
  const kind = kymaClusterKind({
    scope,
    client,
    cluster: fakeCluster,
    deps,
    env: {},
    flags: { allowPrivateEndpoints: false },
    readOnly: false,
    tokens: createMothershipTokens(deps),
  });
  let connectError: Error | undefined;
  const harness = createKindHarness<KymaCluster>({
    client,
    clock,
    kind: {
      ...kind,
      connector: {
        connect: async (resource, { signal }) => {
          if (connectError !== undefined) throw connectError;
          return createExternalClient(
            mothership.client,
            () => readKubeconfig({ client, cluster: fakeCluster }, resource, signal),
            (owner) => isOwnerGone(client, owner, signal),
          );
        },
      },
    },
    resource: kymaCluster({
      name: 'shop',
      ...(clusterScoped ? {} : { namespace }),
      spec: {
        providerConfigRef: { kind: 'ClusterProviderConfig', name: 'default' },
        ...spec,
        forProvider: {
          runtimeID: 'r-1',
          version: '2.20.0',
          components: [{ component: 'a' }],
          kubeconfigSecretRef: clusterScoped ? { name: 'kubeconfig', namespace } : { name: 'kubeconfig' },
          ...forProvider,
        },
      },
    } as Parameters<typeof kymaCluster>[0]),
  });
  const shown = (type: string) => {
    const { status, reason, message } = getCondition(harness.stored() as KymaCluster, type) ?? {};
    return [`${status}/${reason}`, message].filter(Boolean).join(' ');
  };
  const rotate = (text: string) =>
    client.mergePatch(secrets, { name: 'kubeconfig', namespace }, { data: kubeconfigOf(text).data });
  const failToConnect = (error: Error | undefined) => {
    connectError = error;
  };
  const atProvider = () => harness.stored()?.status?.atProvider;
  return { ...harness, mothership, shown, rotate, failToConnect, atProvider };
}

/** Registered, and ready. */
export async function readyKymaCluster(given?: KymaClusterGiven) {
  const all = createKymaClusterHarness(given);
  await all.reconcile();
  all.mothership.becomes('r-1', 'ready');
  await all.reconcile();
  return all;
}
