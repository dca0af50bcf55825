/** What tenants whose motherships, or other external systems, never answer leave of the workers. */
import { expect, test } from '@jest/globals';
import {
  type KymaCluster,
  kymaCluster,
  kymaClusterTypes,
} from '../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { createDeps } from '../../internal/framework/base/deps.ts';
import { nopLogger, nopMetrics } from '../../internal/framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import { createInformer } from '../../internal/framework/kube/cache/informer.ts';
import { createFakeRecorder } from '../../internal/framework/kube/fakes/fake-recorder.ts';
import { createMemoryClient } from '../../internal/framework/kube/fakes/memory-client.ts';
import { secrets } from '../../internal/framework/kube/object/resource-type.ts';
import { type ManagedKind, shareOfNamespace } from '../../internal/framework/managed/index.ts';
import { createManagedController } from '../../internal/framework/managed/managed-controller.ts';
import { createMothershipTokens } from '../../internal/systems/reconciler/client/oauth-tokens.ts';
import { createFakeMothership } from '../../internal/systems/reconciler/kyma-cluster/fake-mothership.fixture.ts';
import { readKubeconfig } from '../../internal/systems/reconciler/kyma-cluster/kubeconfig.ts';
import { fakeCluster } from '../../internal/systems/reconciler/kyma-cluster/kyma-cluster.fixture.ts';
import {
  createExternalClient,
  isOwnerGone,
  kymaClusterKind,
} from '../../internal/systems/reconciler/kyma-cluster/kyma-cluster.ts';

const WORKERS = 16;
const type = kymaClusterTypes.namespaced;

const resource = (namespace: string, name: string): KymaCluster =>
  kymaCluster({
    ...{ name, namespace },
    spec: {
      providerConfigRef: { kind: 'ProviderConfig', name: 'default' },
      forProvider: { version: '2.20.0', kubeconfigSecretRef: { name: 'kubeconfig' } },
    },
  });

/** The controller, with resources of other namespaces whose motherships do not answer. */
async function besideHostile(
  namespaces: readonly string[],
  each: number,
  more: Pick<ManagedKind<KymaCluster>, 'limitKeysOf'> = {},
) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const mothership = createFakeMothership();
  let waiting = 0;
  const deps = createDeps({ clock, random: () => 0.5 });
  const kind = kymaClusterKind({
    ...{ scope: 'namespaced', client, cluster: fakeCluster, deps, env: {}, readOnly: false },
    flags: { allowPrivateEndpoints: false },
    tokens: createMothershipTokens(deps),
  });
  const data = { config: Buffer.from('kubeconfig: 1').toString('base64') };
  client.seed(secrets, {
    ...{ apiVersion: 'v1', kind: 'Secret', data },
    metadata: { name: 'kubeconfig', namespace: 'honest' },
  });
  const common = { client, clock, random: deps.random, log: nopLogger, metrics: nopMetrics };
  const cache = createInformer<KymaCluster>({ ...common, type });
  const controller = createManagedController<KymaCluster>({
    ...common,
    ...{ cache, recorder: createFakeRecorder(), workers: WORKERS },
    kind: {
      ...kind,
      ...more,
      connector: {
        connect: async (of, { signal }) => {
          if (of.metadata.namespace !== 'honest') {
            waiting++;
            await new Promise((_, reject) =>
              signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
            ).finally(() => waiting--);
          }
          return createExternalClient(
            mothership.client,
            () => readKubeconfig({ client, cluster: fakeCluster }, of, signal),
            (owner) => isOwnerGone(client, owner, signal),
          );
        },
      },
    },
  });
  for (const namespace of namespaces)
    for (let n = 0; n < each; n++) client.seed(type, resource(namespace, `k${n}`));
  const stop = cache.start();
  controller.watch();
  await clock.advance(0);
  controller.work();
  await clock.advance(5000);
  return {
    clock,
    mothership,
    waiting: () => waiting,
    create: (name: string) => client.create(type, resource('honest', name)),
    end: async () => {
      controller.abort(new Error('the test has ended'));
      const stopped = controller.stop();
      await clock.advance(1000);
      await stopped;
      stop();
    },
  };
}

test('motherships of one namespace that never answer hold a quarter of the workers', async () => {
  const { clock, create, mothership, waiting, end } = await besideHostile(['hostile'], 40);
  expect(waiting()).toBe(WORKERS / 4);
  for (let n = 0; n < 5; n++) await create(`shop-${n}`);
  await clock.advance(2000);
  expect(mothership.writes).toHaveLength(5);
  await end();
});

test('external systems that each are hosts and clusters of their own hold no more', async () => {
  const limitKeysOf = (resource: KymaCluster) => {
    const name = JSON.stringify(resource.metadata.name);
    const own = ['cluster', 'host'].map((what) => ({ name: `${what} ${name}`, remote: true }));
    return [...shareOfNamespace(resource), ...own];
  };
  const { clock, create, mothership, waiting, end } = await besideHostile(['a', 'b'], 40, { limitKeysOf });
  expect(waiting()).toBe(WORKERS / 2);
  await create('shop');
  await clock.advance(2000);
  expect(mothership.writes).toHaveLength(1);
  await end();
});

test('those of many namespaces hold three quarters, and a namespace whose mothership answers has the others', async () => {
  const hostile = Array.from({ length: 10 }, (_, n) => `hostile-${n}`);
  const { clock, create, mothership, waiting, end } = await besideHostile(hostile, 10);
  await create('first');
  await clock.advance(120_000);
  expect(mothership.writes).toHaveLength(1);
  expect(waiting()).toBe((WORKERS * 3) / 4);
  for (let n = 0; n < 5; n++) await create(`shop-${n}`);
  await clock.advance(2000);
  expect(mothership.writes).toHaveLength(6);
  await end();
});
