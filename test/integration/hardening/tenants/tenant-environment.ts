/**
 * One control plane with all kinds, and the programs on it, each in a process of its own as in its chart: the provider of the package,
 * the service operator, the infrastructure manager, and a mothership. Gardener, Service Manager and HANA Cloud are simulated; the
 * API servers are real.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiRequest, apiRequester } from '../../../../hack/control-planes/access/api-request.ts';
import { startControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import { sleep, systemClock } from '../../../../internal/framework/base/time/clock.ts';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import {
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import { writeConverterFiles } from '../../../contract/gardener/rendering/converter-files.ts';
import {
  btpCrds,
  infrastructureManagerCrds,
  installCrds,
  packageCrds,
  reconcilerCrds,
} from '../../../environment/install-crds.ts';
import { namespaceManifest, secretManifest } from '../../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../../environment/objects.ts';
import type { ShootApiServer } from '../../../simulators/gardener/gardenlet/gardenlet.ts';
import { serveGardener } from '../../../simulators/gardener/server/gardener-server.ts';
import { serveRuntimeClusters } from '../../../simulators/gardener/server/runtime-clusters.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../simulators/gardener/simulated-gardener.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../../simulators/service-manager/simulator.ts';
import { type BareEnvironment, startBareEnvironment } from '../../harness/bare-environment.ts';
import { forEach } from '../../harness/for-each.ts';
import { createProcessMeter, type ProcessMeter } from '../../harness/provider/cost-meter.ts';
import { type ProviderProcess, providerProcesses } from '../../harness/provider/provider-process.ts';
import { type HostileHosts, startHostileHosts } from './hostile-hosts.ts';

/** Of a hostile tenant, and the one in which all Runtimes are. */
export const HOSTILE = ['hostile-a', 'hostile-b'] as const;
export const RUNTIMES = 'kcp-system';
const RELEASE = 'service-operator';

/**
 * Requests of the hostile tenant, one after the other, with rests as long as they took: half of a CPU. Priority and fairness of an API
 * server keep the requests of users apart, not the programs.
 */
function inTurn(request: ApiRequest): ApiRequest {
  let last: Promise<unknown> = Promise.resolve();
  return (path, options) => {
    const answer = last.then(async () => {
      const began = performance.now();
      const result = await request(path, options).catch((error: unknown) => ({ error }));
      return { result, tookMs: performance.now() - began };
    });
    last = answer.then(({ tookMs }) => sleep(systemClock, tookMs));
    return answer.then(({ result }) => {
      if ('error' in result) throw result.error;
      return result;
    });
  };
}

export interface Measured {
  readonly meter: ProcessMeter;
  readonly process: ProviderProcess;
}

export interface TenantEnvironment extends Pick<BareEnvironment, 'scenario' | 'planes' | 'simulator'> {
  readonly objects: Objects;
  /** With a connection and turns of their own: the requests of the hostile tenant are not in front of those of the honest ones. */
  readonly hostileObjects: Objects;
  readonly hosts: HostileHosts;
  readonly serviceManager: ServiceManagerSimulator;
  readonly gardener: SimulatedGardener;
  /** The label with which the provider of the package reconciles a resource. */
  readonly labels: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly provider: Measured;
  readonly serviceOperator: Measured;
  readonly infrastructureManager: Measured;
  /** The API server of Shoots whose name it has; that of all others is the control plane. */
  readonly apiServers: Map<string, ShootApiServer>;
  /** Removes all objects of the types in the namespaces of the hostile tenant. */
  remove(...types: readonly ResourceType[]): Promise<void>;
  defer(end: () => unknown): void;
  stop(): Promise<void>;
}

export async function startTenantEnvironment(): Promise<TenantEnvironment> {
  const stack = new AsyncDisposableStack();
  try {
    return await open(stack);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function open(stack: AsyncDisposableStack): Promise<TenantEnvironment> {
  const defer = (end: () => unknown) => stack.defer(async () => void (await end()));
  const folder = await mkdtemp(join(tmpdir(), 'kyma-tenants-'));
  defer(() => rm(folder, { recursive: true, force: true }));
  const hosts = await startHostileHosts();
  defer(hosts.close);

  let clusters: ShootApiServer = { url: '', ca: '' };
  const apiServers = new Map<string, ShootApiServer>();
  const gardener = await startSimulatedGardener({
    clock: systemClock,
    apiServerOf: ({ metadata }) => apiServers.get(metadata.name) ?? clusters,
    userOf: ({ metadata }) => metadata.name,
  });
  defer(gardener.stop);
  const gardenerServer = await serveGardener(gardener);
  defer(gardenerServer.stop);
  // A Runtime has a cluster of its own: two in one would delete each other's objects.
  const runtimeClusters = await serveRuntimeClusters(systemClock, gardener.authority.certificate);
  defer(runtimeClusters.stop);
  clusters = runtimeClusters;
  const plane = await startControlPlane({ name: 'tenants' });
  defer(plane.stop);
  const objects = objectsOf(plane);
  const hostileObjects = objectsOf({
    name: plane.name,
    request: inTurn(apiRequester(plane.kubeconfig)),
  });
  await installCrds(plane, [
    ...(await packageCrds()),
    ...(await btpCrds()),
    ...(await infrastructureManagerCrds()),
    ...(await reconcilerCrds()),
  ]);
  for (const namespace of [RUNTIMES, RELEASE, ...HOSTILE])
    await objects.apply(namespaces, namespaceManifest(namespace));

  const environment = await startBareEnvironment({ management: plane, simulator: { foreignCopies: false } });
  defer(environment.stop);
  const serviceManager = await startServiceManagerSimulator();
  defer(serviceManager.stop);
  const { secret } = await serviceManager.credentials();
  const key = { namespace: RELEASE, name: 'sap-btp-service-operator' };
  await objects.apply(secrets, secretManifest(key, secret));

  const authorities = [
    environment.simulator.caCertificate,
    serviceManager.caCertificate,
    hosts.grants.authority,
  ];
  const processes = await providerProcesses(
    [...authorities, ...hosts.all.map(({ authority }) => authority)].join('\n'),
  );
  defer(processes.stop);
  const start = async (args: readonly string[], env = {}): Promise<Measured> => {
    const meter = await createProcessMeter();
    defer(meter.close);
    const process = await processes.start({
      kubeconfig: plane.kubeconfig,
      args,
      env: { ...env, ...meter.env },
    });
    return { meter, process };
  };
  const garden = join(folder, 'garden.kubeconfig');
  await writeFile(garden, gardenerServer.kubeconfig);
  const [label = '', value = ''] = environment.selector.split('=');
  return {
    ...environment,
    ...{ objects, hostileObjects, hosts, serviceManager, gardener, folder, apiServers, defer },
    labels: { [label]: value },
    provider: await start([
      ...['--controllers=config,inventory,reconciler', '--poll=10m'],
      `--watch-label-selector=${environment.selector}`,
    ]),
    serviceOperator: await start(['--controllers=btp'], {
      ...{ CLUSTER_ID: 'cluster-1', RELEASE_NAMESPACE: RELEASE, ENABLE_WEBHOOKS: 'false' },
      ...{ POLL_INTERVAL: '250ms', RETRY_BASE_DELAY: '50ms', RETRY_MAX_DELAY: '2s' },
    }),
    infrastructureManager: await start([
      '--controllers=infrastructure-manager',
      `--gardener-kubeconfig-path=${garden}`,
      `--gardener-project-name=${gardener.project}`,
      `--converter-config-filepath=${await writeConverterFiles(folder, gardener.project)}`,
      ...['--audit-log-mandatory=false', '--gardener-request-timeout=10s'],
    ]),
    remove: async (...types) => {
      for (const type of types) {
        for (const namespace of HOSTILE) {
          await objects.deleteAll(type, namespace);
          // Programs that wait for a hostile server must not be waited for.
          await forEach(await objects.list<KubeObject>(type, namespace), async ({ metadata: { name } }) => {
            const patch = { metadata: { finalizers: null } };
            await objects.patch(type, { namespace, name }, patch).catch(() => undefined);
          });
        }
      }
    },
    stop: () => stack.disposeAsync(),
  };
}
