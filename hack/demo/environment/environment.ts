import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../internal/base/time/clock.ts';
import { installBtpKinds } from '../../../test/environment/btp-kinds.ts';
import { installCrds, packageCrds } from '../../../test/environment/install-crds.ts';
import { type Objects, objectsOf } from '../../../test/environment/objects.ts';
import {
  type HanaCloudSimulator,
  startHanaCloudSimulator,
} from '../../../test/simulators/hana-cloud/simulator.ts';
import { ensureBinaries } from '../../control-planes/binaries/binaries.ts';
import { describeServer, SERVERS } from '../../control-planes/binaries/versions.ts';
import { type ControlPlane, startControlPlane } from '../../control-planes/control-plane.ts';
import { startWatchdog } from '../../control-planes/process/watchdog.ts';
import { type ProviderCommand, providerEnvironment } from '../provider/provider-command.ts';
import { type ProviderProcess, startProvider } from '../provider/provider-process.ts';
import type { Runner } from '../run/runner.ts';
import { grantAccess, orders, warehouse } from './objects.ts';

/** Everything before the first mapping: two clusters, HANA Cloud, and the provider between them. */
export interface DemoEnvironment {
  readonly planes: { readonly management: ControlPlane; readonly kyma: ControlPlane };
  /** Objects as an admin has them. */
  readonly management: Objects;
  readonly kyma: Objects;
  readonly simulator: HanaCloudSimulator;
  /** PEM file of the authority behind HANA Cloud's certificates. */
  readonly caFile: string;
  readonly provider: ProviderProcess;
  readonly env: NodeJS.ProcessEnv;
}

export interface DemoEnvironmentOptions {
  readonly runner: Runner;
  readonly print: (text: string) => void;
  readonly command: ProviderCommand;
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
  const { runner, print, command, directory, stack, signal, clock } = options;
  const binaries = await runner.need('Binaries of the control planes', async () => {
    const found = await ensureBinaries({ report: print, clock });
    print(`${SERVERS.map(describeServer).join(', ')} in ${found.directory}`);
    return found;
  });

  const planes = await runner.need('Two control planes', async () => {
    const start = async (name: string) => {
      const plane = await startControlPlane({ name, binaries, clock, signal });
      stack.defer(() => plane.stop());
      print(`${name} answers at ${plane.server}`);
      return plane;
    };
    const [management, kyma] = await all(start('management'), start('kyma'));
    return { management, kyma };
  });
  const management = objectsOf(planes.management);
  const kyma = objectsOf(planes.kyma);

  const { simulator, caFile } = await runner.need('HANA Cloud, simulated, over TLS with OAuth2', async () => {
    const instances = [orders.instanceID, warehouse.instanceID];
    const simulator = await startHanaCloudSimulator({ instances });
    stack.defer(() => simulator.stop());
    const caFile = join(directory, 'ca.pem');
    await writeFile(caFile, simulator.caCertificate);
    print(`API at ${simulator.apiUrl}, tokens at ${simulator.tokenUrl} and ${simulator.certTokenUrl}`);
    return { simulator, caFile };
  });

  await runner.need('CRDs: ours on management, those of the BTP service operator on kyma', async () => {
    const crds = await packageCrds();
    await all(installCrds(planes.management, crds), installBtpKinds(planes.kyma));
    print(crds.map(({ metadata }) => metadata.name).join(', '));
  });

  await runner.need('A Kyma user who may read the sources, its kubeconfig as a Secret on management', () =>
    grantAccess(planes.kyma, { kyma, management }),
  );

  const env = providerEnvironment(caFile, process.env);
  const provider = await runner.need(`The provider: ${command.typed} start`, async () => {
    const { kubeconfigPath } = planes.management;
    const started = await startProvider({ command, kubeconfigPath, env, directory, clock, signal });
    stack.defer(() => started.stop());
    print(`ready, with its pages at ${started.url}`);
    return started;
  });

  return { planes, management, kyma, simulator, caFile, provider, env };
}

/** Waits for both to settle: nothing is still starting when the first failure is reported. */
async function all<A, B>(one: Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
