/**
 * Everything between a KymaRuntime and its mapping: Crossplane's core with functions, provider-kubernetes, the provider with four
 * modules, a mothership with a component reconciler, and the service operator on the runtime. Gardener, Service Manager and HANA
 * Cloud are simulated; the runtime is a real API server.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  clusterProviderConfig,
  clusterProviderConfigs,
} from '../../../apis/reconciler.kyma-project.io/v1alpha1/providerconfigs.gen.ts';
import { FILES } from '../../../hack/control-planes/access/access.ts';
import { startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import type { ProviderKubernetes } from '../../../hack/crossplane/provider-kubernetes.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { namespaces } from '../../../internal/framework/kube/object/resource-type.ts';
import { kymaRuntime, readObjects } from '../../compositions/stages.ts';
import { writeConverterFiles } from '../../contract/gardener/rendering/converter-files.ts';
import { componentProcesses } from '../../environment/components/component-process.ts';
import { createKymaWorkspace } from '../../environment/components/kyma-workspace.ts';
import { eventually } from '../../environment/eventually.ts';
import { openIdConnectCrd } from '../../environment/gardener/open-id-connect-crd.ts';
import { registryCacheCrds } from '../../environment/gardener/registry-cache-crds.ts';
import {
  infrastructureManagerCrds,
  installCrds,
  packageCrds,
  reconcilerCrds,
} from '../../environment/install-crds.ts';
import { namespaceManifest } from '../../environment/manifests.ts';
import { startMothershipProgram } from '../../environment/mothership/mothership-program.ts';
import { type NetworkPath, openNetworkPath } from '../../environment/network-path.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { startTestDatabases } from '../../environment/postgres/test-databases.ts';
import { type GardenerServer, serveGardener } from '../../simulators/gardener/server/gardener-server.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../simulators/gardener/simulated-gardener.ts';
import { hanaCloudBroker, hanaCloudCatalog } from '../../simulators/hana-cloud/broker.ts';
import { type HanaCloudSimulator, startHanaCloudSimulator } from '../../simulators/hana-cloud/simulator.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../simulators/service-manager/simulator.ts';
import { applyClusterRoles } from '../harness/crossplane/core-rights.ts';
import { type CrossplanePrograms, startCrossplane } from '../harness/crossplane/crossplane-process.ts';
import { startProviderKubernetes } from '../harness/crossplane/provider-kubernetes-process.ts';
import { providerProcesses } from '../harness/provider/provider-process.ts';
import { compositions, definitions, kymaRuntimes } from './kinds.ts';
import { CLUSTER_ID, RELEASE_NAMESPACE, serviceOperatorChart } from './service-operator-chart.ts';

const EXAMPLE = join(import.meta.dirname, '../../../examples/composition', kymaRuntime.name);

/** Of Runtimes, and so of the composite resources. */
export const NAMESPACE = 'kcp-system';

export interface Programs {
  readonly crossplane: CrossplanePrograms;
  readonly providerKubernetes: ProviderKubernetes;
}

export interface ChainEnvironment {
  /** Objects of the control plane. */
  readonly objects: Objects;
  /** Objects of the cluster of all Runtimes. */
  readonly runtime: Objects;
  readonly gardener: SimulatedGardener;
  readonly gardenerServer: GardenerServer;
  /** Before the API server of the runtime, for all but the service operator on it. */
  readonly runtimeServer: NetworkPath;
  /** Before the mothership. */
  readonly mothership: NetworkPath;
  readonly serviceManager: ServiceManagerSimulator;
  readonly hanaCloud: HanaCloudSimulator;
  /** What the provider has written, for failures. */
  output(): string;
  stop(): Promise<void>;
}

export async function startChainEnvironment(programs: Programs): Promise<ChainEnvironment> {
  const stack = new AsyncDisposableStack();
  try {
    return await open(programs, stack);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function open(programs: Programs, stack: AsyncDisposableStack): Promise<ChainEnvironment> {
  const defer = <T extends { stop(): Promise<unknown> }>(started: T): T => {
    stack.defer(async () => void (await started.stop()));
    return started;
  };
  const folder = await mkdtemp(join(tmpdir(), 'kyma-chain-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));

  let runtimeServer = { url: '', ca: '' };
  const gardener = defer(
    await startSimulatedGardener({ clock: systemClock, stageMs: 5000, apiServerOf: () => runtimeServer }),
  );
  const gardenerServer = defer(await serveGardener(gardener));
  const clientAuthorities = [gardener.authority.certificate];
  const runtimePlane = defer(await startControlPlane({ name: 'runtime', clientAuthorities }));
  const beforeRuntime = await openNetworkPath(runtimePlane.server);
  stack.defer(beforeRuntime.close);
  runtimeServer = {
    url: `https://127.0.0.1:${beforeRuntime.port}`,
    ca: await readFile(join(runtimePlane.directory, FILES.authority), 'utf8'),
  };
  await installCrds(runtimePlane, [openIdConnectCrd, ...registryCacheCrds]);
  const hanaCloud = defer(await startHanaCloudSimulator());
  const serviceManager = defer(
    await startServiceManagerSimulator({ catalog: hanaCloudCatalog, broker: hanaCloudBroker(hanaCloud) }),
  );

  const plane = defer(await startControlPlane({ name: 'kcp' }));
  const objects = objectsOf(plane);
  await installCrds(plane, [
    ...(await packageCrds()),
    ...(await infrastructureManagerCrds()),
    ...(await reconcilerCrds()),
  ]);
  await objects.apply(namespaces, namespaceManifest(NAMESPACE));
  const { secret } = await serviceManager.credentials();
  const mothership = await startMothership(objects, await serviceOperatorChart(secret), stack);

  const processes = defer(
    await providerProcesses(`${hanaCloud.caCertificate}\n${serviceManager.caCertificate}`),
  );
  const gardenKubeconfig = join(folder, 'garden.kubeconfig');
  await writeFile(gardenKubeconfig, gardenerServer.kubeconfig);
  const provider = await processes.start({
    kubeconfig: plane.kubeconfig,
    args: [
      '--controllers=config,inventory,infrastructure-manager,reconciler',
      `--gardener-kubeconfig-path=${gardenKubeconfig}`,
      `--gardener-project-name=${gardener.project}`,
      `--converter-config-filepath=${await writeConverterFiles(folder, gardener.project)}`,
      ...['--audit-log-mandatory=false', '--gardener-request-timeout=10s', '--poll=5s'],
    ],
  });
  // On the runtime, which it reaches when it is there: its kinds come with a component.
  const operator = await processes.start({
    kubeconfig: runtimePlane.kubeconfig,
    args: ['--controllers=btp'],
    env: { CLUSTER_ID, RELEASE_NAMESPACE, ENABLE_WEBHOOKS: 'false', POLL_INTERVAL: '1s' },
  });

  defer(await startProviderKubernetes(plane, programs.providerKubernetes));
  await applyClusterRoles(plane, [await readFile(join(EXAMPLE, 'rbac.yaml'), 'utf8')]);
  defer(
    await startCrossplane(plane, programs.crossplane, {
      kinds: [
        'kymaruntimes.platform.example.org',
        ...['objects.kubernetes.m.crossplane.io', 'providerconfigs.kubernetes.m.crossplane.io'],
        'kymainstancemappings.inventory.hana.m.orchestrate.cloud.sap',
      ],
    }),
  );
  for (const [type, file] of [
    [definitions, 'definition'],
    [compositions, 'composition'],
  ] as const) {
    for (const object of await readObjects(`examples/composition/${kymaRuntime.name}/${file}.yaml`))
      await objects.apply(type, object);
  }
  // Crossplane makes its kind.
  await eventually(() => objects.list(kymaRuntimes, NAMESPACE));
  return {
    ...{
      objects,
      runtime: objectsOf(runtimePlane),
      gardener,
      gardenerServer,
      runtimeServer: beforeRuntime,
      mothership,
      serviceManager,
      hanaCloud,
    },
    output: () => `${provider.output()}\n${operator.output()}`,
    stop: () => stack.disposeAsync(),
  };
}

/**
 * A mothership with one component reconciler, whose only component is the service operator. Returns what is before it.
 */
async function startMothership(
  objects: Objects,
  chart: Readonly<Record<string, string>>,
  stack: AsyncDisposableStack,
): Promise<NetworkPath> {
  const workspace = await createKymaWorkspace();
  stack.defer(() => workspace.remove());
  await workspace.chart('service-operator', chart);
  const components = await componentProcesses();
  stack.defer(() => components.stop());
  const { url } = await components.start({
    workspace: workspace.folder,
    args: ['--retries-delay=500ms', '--progress-interval=1s'],
  });
  const databases = await startTestDatabases();
  stack.defer(() => databases.close());
  const mothership = await startMothershipProgram({
    reconciler: `${url}/v1/run`,
    databaseUrl: await databases.server?.createDatabase(),
  });
  stack.defer(() => mothership.stop());
  const forwarder = await openNetworkPath(mothership.url);
  stack.defer(forwarder.close);
  const spec = { url: `http://127.0.0.1:${forwarder.port}`, credentials: { source: 'None' } } as const;
  await objects.apply(clusterProviderConfigs, clusterProviderConfig({ name: 'default', spec }));
  return forwarder;
}
