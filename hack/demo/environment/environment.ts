import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../internal/framework/base/time/clock.ts';
import { installBtpKinds } from '../../../test/environment/btp-kinds.ts';
import { openIdConnectCrd } from '../../../test/environment/gardener/open-id-connect-crd.ts';
import {
  btpCrds,
  infrastructureManagerCrds,
  installCrds,
  packageCrds,
} from '../../../test/environment/install-crds.ts';
import { type Objects, objectsOf } from '../../../test/environment/objects.ts';
import { hanaCloudBroker, hanaCloudCatalog } from '../../../test/simulators/hana-cloud/broker.ts';
import {
  type HanaCloudSimulator,
  startHanaCloudSimulator,
} from '../../../test/simulators/hana-cloud/simulator.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../../test/simulators/service-manager/simulator.ts';
import { ensureBinaries } from '../../control-planes/binaries/binaries.ts';
import { describeServer, SERVERS } from '../../control-planes/binaries/versions.ts';
import { type ControlPlane, startControlPlane } from '../../control-planes/control-plane.ts';
import { startWatchdog } from '../../control-planes/process/watchdog.ts';
import { providerEnvironment } from '../provider/provider-command.ts';
import { type ProviderProcess, startProvider } from '../provider/provider-process.ts';
import type { Runner } from '../run/runner.ts';
import { btpEnvironment, installBtp } from './chain-objects.ts';
import { type DemoGardener, startGardener } from './gardener.ts';
import { grantAccess, orders, warehouse } from './objects.ts';
import { type Reconciler, startReconciler } from './reconciler.ts';

/** Everything before the first mapping: two clusters, HANA Cloud, Service Manager, and the provider between them. */
export interface DemoEnvironment {
  readonly planes: { readonly management: ControlPlane; readonly kyma: ControlPlane };
  /** Objects as an admin has them. */
  readonly management: Objects;
  readonly kyma: Objects;
  readonly simulator: HanaCloudSimulator;
  readonly serviceManager: ServiceManagerSimulator;
  /** PEM file of the authorities behind the simulators' certificates. */
  readonly caFile: string;
  readonly provider: ProviderProcess;
  readonly gardener: DemoGardener;
  readonly reconciler: Reconciler;
  readonly env: NodeJS.ProcessEnv;
}

export interface DemoEnvironmentOptions {
  readonly runner: Runner;
  readonly print: (text: string) => void;
  /** A folder of the demo's own. */
  readonly directory: string;
  /** Everything that is started registers its teardown here. */
  readonly stack: AsyncDisposableStack;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/**
 * A folder that is removed, with the processes that its pid files name, when the stack is disposed or this process
 * dies.
 */
export async function makeDirectory(stack: AsyncDisposableStack): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kyma-demo-'));
  stack.defer(startWatchdog(directory));
  return directory;
}

export async function openDemoEnvironment(options: DemoEnvironmentOptions): Promise<DemoEnvironment> {
  const { runner, print, directory, stack, signal, clock } = options;
  const binaries = await runner.need('Binaries of the control planes', async () => {
    const found = await ensureBinaries({ report: print, clock });
    print(`${SERVERS.map(describeServer).join(', ')} in ${found.directory}`);
    return found;
  });

  const gardener = await runner.need(
    'Gardener, simulated, which grants kubeconfigs of the Kyma cluster',
    async () => {
      const started = await startGardener({ directory, stack, clock });
      print(`API at ${started.url}`);
      return started;
    },
  );

  const planes = await runner.need('Two control planes', async () => {
    const start = async (name: string, clientAuthorities: readonly string[] = []) => {
      const plane = await startControlPlane({ name, binaries, clientAuthorities, clock, signal });
      stack.defer(() => plane.stop());
      print(`${name} answers at ${plane.server}`);
      return plane;
    };
    const [management, kyma] = await all(start('management'), start('kyma', [gardener.clientAuthority]));
    await gardener.serve(kyma);
    return { management, kyma };
  });
  const management = objectsOf(planes.management);
  const kyma = objectsOf(planes.kyma);

  const simulator = await runner.need('HANA Cloud, simulated, over TLS with OAuth2', async () => {
    const instances = [orders.instanceID, warehouse.instanceID];
    const simulator = await startHanaCloudSimulator({ instances });
    stack.defer(() => simulator.stop());
    print(`API at ${simulator.apiUrl}, tokens at ${simulator.tokenUrl} and ${simulator.certTokenUrl}`);
    return simulator;
  });

  const serviceManager = await runner.need(
    'Service Manager, simulated, which makes databases there',
    async () => {
      const started = await startServiceManagerSimulator({
        catalog: hanaCloudCatalog,
        broker: hanaCloudBroker(simulator),
        modes: [{ on: { plan: 'hana' }, mode: { async: { polls: 2 } } }],
      });
      stack.defer(() => started.stop());
      print(`API and tokens at ${started.url}`);
      return started;
    },
  );
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, `${simulator.caCertificate}\n${serviceManager.caCertificate}`);

  await runner.need('CRDs: ours on management, those of the BTP service operator on both', async () => {
    const crds = [...(await packageCrds()), ...(await btpCrds()), ...(await infrastructureManagerCrds())];
    const onKyma = async () => {
      await installBtpKinds(planes.kyma);
      await installCrds(planes.kyma, [openIdConnectCrd]);
    };
    await all(installCrds(planes.management, crds), onKyma());
    print(crds.map(({ metadata }) => metadata.name).join(', '));
  });

  await runner.need(
    'The module btp: credentials for Service Manager and a cluster ID on management',
    async () => installBtp(management, (await serviceManager.credentials()).secret),
  );

  await runner.need('A Kyma user who may read the sources, its kubeconfig as a Secret on management', () =>
    grantAccess(planes.kyma, { kyma, management }),
  );

  const env = { ...providerEnvironment(caFile, process.env), ...btpEnvironment };
  const provider = await runner.need('The provider: bin/provider-kyma start', async () => {
    const { kubeconfigPath } = planes.management;
    const modules = ['config', 'inventory', 'btp', 'infrastructure-manager'];
    const options = { kubeconfigPath, env, modules, args: gardener.flags, directory, clock, signal };
    const started = await startProvider(options);
    stack.defer(() => started.stop());
    print(`ready, with its pages at ${started.url}`);
    return started;
  });

  const reconciler = await runner.need(
    'The Kyma reconciler: bin/provider-kyma mothership start, and component start base',
    async () => {
      const started = await startReconciler({ directory, env, stack, clock, signal });
      print(`ready, with API and page at ${started.url}`);
      return started;
    },
  );

  return { planes, management, kyma, simulator, serviceManager, caFile, provider, gardener, reconciler, env };
}

/** Waits for both to settle: nothing is still starting when the first failure is reported. */
async function all<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
