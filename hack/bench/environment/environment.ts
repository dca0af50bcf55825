/**
 * What measurements run against: two real control planes, a HANA Cloud simulator with a latency of 20 ms, and the CRDs.
 * Started once for all measurements of a run that need it. User names identify who sent a request: the provider, the
 * plain program, or the bench itself, whose requests are not counted.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import { installBtpKinds } from '../../../test/environment/btp-kinds.ts';
import { installCrds, packageCrds } from '../../../test/environment/install-crds.ts';
import {
  type HanaCloudSimulator,
  startHanaCloudSimulator,
} from '../../../test/simulators/hana-cloud/simulator.ts';
import { nodeModule } from '../../bundle/node-module.ts';
import { ensureBinaries } from '../../control-planes/binaries/binaries.ts';
import { type ControlPlane, startControlPlane } from '../../control-planes/control-plane.ts';
import type { BenchContext } from '../context.ts';
import { createPlainClient, type Endpoint, type PlainClient } from '../plain/plain-client.ts';

/** Latency of every HANA Cloud response, in ms. */
export const HANA_LATENCY_MS = 20;

export type Requester = 'provider' | 'plain';
type PlaneName = 'management' | 'kyma';
type PerPlane<T> = Readonly<Record<PlaneName, T>>;

export interface BenchEnvironment extends BenchContext {
  readonly planes: PerPlane<ControlPlane>;
  readonly simulator: HanaCloudSimulator;
  /** The bench's own clients: fast, and not counted. */
  readonly management: PlainClient;
  readonly kyma: PlainClient;
  /** Kubeconfig of a cluster admin, with the user name that audit events have. */
  readonly kubeconfigs: Readonly<Record<Requester, PerPlane<string>>>;
  /** PEM file of the authority behind HANA Cloud's certificates. */
  readonly caFile: string;
  /** The plain program, bundled as the provider is, so that neither strips types at run time. */
  readonly plainProgram: string;
}

/** Authorization is not measured; checking it costs an API server next to nothing. */
export const ADMINS = ['system:masters'];
/** Connections of the bench's own clients: enough to fill an environment quickly. */
const CONNECTIONS = 16;

/** @param stack everything that is started registers its teardown here */
export async function openBenchEnvironment(
  context: BenchContext,
  stack: AsyncDisposableStack,
): Promise<BenchEnvironment> {
  const { directory, clock, print, signal } = context;
  print('starting two control planes and HANA Cloud');
  const binaries = await ensureBinaries({ report: print, clock });
  const start = async (name: PlaneName) => {
    const plane = await startControlPlane({ name, binaries, clock, signal });
    stack.defer(() => plane.stop());
    return plane;
  };
  const starting = [start('management'), start('kyma')] as const;
  await Promise.allSettled(starting);
  const [management, kyma] = await Promise.all(starting);
  const simulator = await startHanaCloudSimulator({ latencyMs: HANA_LATENCY_MS });
  stack.defer(() => simulator.stop());
  const caFile = join(directory, 'hana-ca.pem');
  await writeFile(caFile, simulator.caCertificate);
  await Promise.all([packageCrds().then((crds) => installCrds(management, crds)), installBtpKinds(kyma)]);

  const kubeconfigsOf = async (name: string) => ({
    management: await management.addUser({ name, groups: ADMINS }),
    kyma: await kyma.addUser({ name, groups: ADMINS }),
  });
  const own = await kubeconfigsOf('bench');
  const open = async (plane: PlaneName) => {
    const client = createPlainClient(await endpointOf(own[plane]), CONNECTIONS);
    stack.defer(() => client.close());
    return client;
  };
  const plainProgram = join(directory, 'plain.mjs');
  const entryPoints = [join(import.meta.dirname, '../plain/main.ts')];
  await build({ ...nodeModule, entryPoints, outfile: plainProgram, logLevel: 'error' });
  return {
    ...context,
    planes: { management, kyma },
    simulator,
    management: await open('management'),
    kyma: await open('kyma'),
    kubeconfigs: { provider: await kubeconfigsOf('provider'), plain: await kubeconfigsOf('plain') },
    caFile,
    plainProgram,
  };
}

/** The server and the credentials of a kubeconfig. */
export async function endpointOf(kubeconfig: string): Promise<Endpoint> {
  const config = parseUntrustedKubeconfig(kubeconfig);
  const { ca = '', cert = '', key = '' } = await config.credentials();
  return { origin: config.server, ca, cert, key };
}
