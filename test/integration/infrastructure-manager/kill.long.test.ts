/**
 * SIGKILL before or after each request that writes, and in `make test-faults` before and after it, in the life of a Runtime: to the
 * control plane, to Gardener and to the runtime cluster. The next process completes what was begun: one Shoot and one kubeconfig for
 * each Runtime that stays, and nothing for those that were deleted.
 */
import '../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { shoots } from '../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { runtimes } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import type { RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import { type KubeObject, secrets } from '../../../internal/framework/kube/index.ts';
import {
  clusterRoleBindings,
  openIdConnectType,
} from '../../../internal/systems/infrastructure-manager/runtime/cluster/access.ts';
import { eventually } from '../../environment/eventually.ts';
import { editKubeconfig, serverIn } from '../harness/access/kubeconfigs.ts';
import { serviceAccountToken } from '../harness/access/service-account.ts';
import { type ApiProxy, startApiProxy } from '../harness/api-proxy/api-proxy.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { openProjectWithClusters, type ProjectWithClusters } from '../harness/gardener/shoot-plane.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { connect } from '../kube/connect.ts';
import { type Phase, type Place, type Point, pointsOf } from './kill-steps.ts';
import { type ModuleEnvironment, NAMESPACE, startModuleEnvironment } from './module-environment.ts';

let environment: ModuleEnvironment;
let clusters: ProjectWithClusters;
let proxies: Readonly<Record<Place, ApiProxy>>;
let provider: ProviderProcess;
/** An administrator of the cluster of all Shoots. */
let runtime: RestClient;

const tokenOf = (access: ControlPlaneAccess) => serviceAccountToken(access, uniqueName('killed'));

beforeAll(async () => {
  let ofRuntime: ApiProxy | undefined;
  clusters = await openProjectWithClusters({
    before: async (shootPlane) => {
      ofRuntime = await startApiProxy(shootPlane.kubeconfig, { token: await tokenOf(shootPlane) });
      return serverIn(ofRuntime.kubeconfig);
    },
  });
  runtime = connect(clusters.shootPlane.kubeconfig);
  environment = await startModuleEnvironment({
    clusters,
    // Requests hang until all points are reached.
    flags: { 'gardener-request-timeout': '60s' },
  });
  const { plane, garden } = environment;
  const proxied = async (access: ControlPlaneAccess) =>
    startApiProxy(editKubeconfig(access.kubeconfig, { credentials: { token: await tokenOf(access) } }));
  const [management, ofGarden] = await Promise.all([proxied(plane), proxied(garden)]);
  if (ofRuntime === undefined) throw new Error('no proxy of the runtime cluster');
  proxies = { management, garden: ofGarden, runtime: ofRuntime };
  await start();
}, 120_000);
afterAll(async () => {
  await environment?.stop();
  await clusters?.stop();
  await runtime?.close();
  await Promise.all(Object.values(proxies ?? {}).map((proxy) => proxy.close()));
});

async function start(): Promise<void> {
  const { management, garden } = proxies;
  provider = await environment.start({ management: management.kubeconfig, garden: garden.kubeconfig });
}

/** Lets the phase begin for all its Runtimes, kills the process when each hangs at its step, and starts another one. */
async function killAt(own: readonly Point[], begin: (name: string) => Promise<void>): Promise<void> {
  const held = own.map(({ at, name, title, sends, when }) => ({
    name,
    title: `${when} ${title}`,
    rule: proxies[at].add({
      // All Runtimes have the same cluster, whose requests do not name them.
      on: (request) =>
        sends(request) && (at === 'runtime' || `${request.path} ${request.body}`.includes(name)),
      first: 1,
      do: { kind: 'hold', when },
    }),
  }));
  for (const { name } of held) await begin(name);
  await eventually(
    () => expect(held.filter(({ rule }) => rule.hits() === 0).map(({ title }) => title)).toEqual([]),
    { timeoutMs: 45_000 },
  );
  await provider.kill();
  for (const proxy of Object.values(proxies)) proxy.resume();
  await start();
}

const killIn = (phase: Phase, begin: (name: string) => Promise<void>) => killAt(pointsOf(phase), begin);
const namesOf = (phase: Phase) => pointsOf(phase).map(({ name }) => name);

/** Creates those that no phase before has left. */
async function created(names: readonly string[]): Promise<void> {
  const found = (await environment.objects.list(runtimes, NAMESPACE)).map(({ metadata }) => metadata.name);
  const missing = names.filter((name) => !found.includes(name));
  for (const name of missing) await environment.create(name);
  for (const name of missing) await environment.completed(name);
}

const shootNames = async () => {
  const { client, namespace, copies } = environment.project;
  const names = (await client.list(shoots, { namespace })).items.map(({ metadata }) => metadata.name);
  return names.filter((name) => !copies.isCopy(name)).sort();
};
const kubeconfig = async (name: string) =>
  (await environment.objects.get(secrets, { namespace: NAMESPACE, name: `kubeconfig-${name}` })).data?.config;

test('while Runtimes are created', async () => {
  const names = namesOf('creation');
  await killIn('creation', (name) => environment.create(name));
  for (const name of names) await environment.completed(name);
  expect(await shootNames()).toEqual([...names].sort());
  for (const name of names) expect(await kubeconfig(name)).toEqual(expect.any(String));
}, 180_000);

test('while kubeconfigs are rotated', async () => {
  const names = namesOf('rotation');
  await created(names);
  const before = new Map<string, string | undefined>();
  for (const name of names) before.set(name, await kubeconfig(name));
  const cluster = (name: string) => ({ namespace: NAMESPACE, name });
  const forced = 'operator.kyma-project.io/force-kubeconfig-rotation';
  await killIn('rotation', async (name) => {
    await environment.objects.patch(gardenerClusters, cluster(name), {
      metadata: { annotations: { [forced]: '' } },
    });
  });
  for (const name of names) {
    await eventually(async () => {
      const { metadata, status } = await environment.objects.get(gardenerClusters, cluster(name));
      expect([metadata.annotations?.[forced], status?.state]).toEqual([undefined, 'Ready']);
      expect(await kubeconfig(name)).not.toBe(before.get(name));
    });
  }
}, 180_000);

test('while Runtimes are changed', async () => {
  const names = namesOf('change');
  await created(names);
  await killIn('change', (name) => environment.setPool(name, { maximum: 33 }));
  const { client, namespace } = environment.project;
  for (const name of names) {
    await eventually(async () => {
      const { spec } = await client.get(shoots, { namespace, name });
      expect(spec?.provider.workers?.map(({ maximum }) => maximum)).toEqual([33]);
      expect(await environment.provisioned(name)).toMatch(/^Ready True /);
    });
  }
}, 180_000);

test('while Runtimes are deleted', async () => {
  const names = namesOf('deletion');
  await created(names);
  const left = (await shootNames()).filter((name) => !names.includes(name));
  await killIn('deletion', (name) => environment.objects.delete(runtimes, { namespace: NAMESPACE, name }));
  for (const name of names) {
    await eventually(
      async () =>
        expect([
          await environment.objects.find(runtimes, { namespace: NAMESPACE, name }),
          await environment.objects.find(secrets, { namespace: NAMESPACE, name: `kubeconfig-${name}` }),
        ]).toEqual([undefined, undefined]),
      { timeoutMs: 60_000 },
    );
  }
  expect(await shootNames()).toEqual(left);
  expect(environment.project.errors).toEqual([]);
}, 180_000);

/** Administrators and issuers of the cluster. */
async function configuration(): Promise<readonly (readonly (string | undefined)[])[]> {
  const labelSelector = 'reconciler.kyma-project.io/managed-by=infrastructure-manager';
  const bindings = await runtime.list(clusterRoleBindings, { labelSelector });
  const issuers = await runtime.list(openIdConnectType);
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

async function configure(administrators: readonly string[], urls: readonly string[]): Promise<void> {
  const additionalOidcConfig = urls.map((issuerURL) => ({ issuerURL, clientID: 'client' }));
  const spec = {
    security: { administrators },
    shoot: { kubernetes: { kubeAPIServer: { additionalOidcConfig } } },
  };
  await environment.objects.patch(runtimes, { namespace: NAMESPACE, name: 'own' }, { spec });
}

const untilConfigured = (administrators: readonly string[], urls: readonly string[]) =>
  eventually(async () => expect(await configuration()).toEqual([administrators, urls]), {
    timeoutMs: 60_000,
  });

test('while a runtime cluster is configured', async () => {
  // Others would configure the cluster for themselves, since all have the same.
  await environment.objects.deleteAll(runtimes, NAMESPACE);
  await eventually(async () => expect(await environment.objects.list(runtimes, NAMESPACE)).toEqual([]), {
    timeoutMs: 90_000,
  });
  await created(['own']);
  const [old, next] = [
    [['old@example.org'], ['https://one.example.org', 'https://two.example.org']],
    [['new@example.org'], ['https://three.example.org']],
  ] as const;
  for (const point of pointsOf('configuration')) {
    await configure(...old);
    await untilConfigured(...old);
    await killAt([point], () => configure(...next));
    await untilConfigured(...next);
  }
  expect(environment.project.errors).toEqual([]);
}, 400_000);
