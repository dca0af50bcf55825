/**
 * What measurements run against: two real control planes, a HANA Cloud simulator with a latency of 20 ms, and the CRDs.
 * Started once for all measurements of a run that need it. User names identify who sent a request: the provider, the
 * plain program, or the bench itself, whose requests are not counted.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../internal/base/time/clock.ts';
import { parseUntrustedKubeconfig } from '../../../internal/kube/config/untrusted-kubeconfig.ts';
import { installBtpKinds } from '../../../test/environment/btp-kinds.ts';
import { installCrds, packageCrds } from '../../../test/environment/install-crds.ts';
import {
  type HanaCloudSimulator,
  startHanaCloudSimulator,
} from '../../../test/simulators/hana-cloud/simulator.ts';
import { ensureBinaries } from '../../control-planes/binaries/binaries.ts';
import { type ControlPlane, startControlPlane } from '../../control-planes/control-plane.ts';
import { bundlePlain } from '../plain/bundle-plain.ts';
import { createPlainClient, type Endpoint, type PlainClient } from '../plain/plain-client.ts';

/** Latency of every HANA Cloud response, in ms. */
export const HANA_LATENCY_MS = 20;

export type Requester = 'provider' | 'plain';
export type PlaneName = 'management' | 'kyma';

export interface BenchEnvironment {
  readonly planes: Readonly<Record<PlaneName, ControlPlane>>;
  readonly simulator: HanaCloudSimulator;
  /** The bench's own clients: fast, and not counted. */
  readonly management: PlainClient;
  readonly kyma: PlainClient;
  /** Kubeconfig of a cluster admin, with the user name that audit events have. */
  readonly kubeconfigs: Readonly<Record<Requester, Readonly<Record<PlaneName, string>>>>;
  /** PEM file of the authority behind HANA Cloud's certificates. */
  readonly caFile: string;
  /** The plain program, bundled. */
  readonly plainProgram: string;
  /** A folder of the bench's own. */
  readonly directory: string;
  readonly clock: Clock;
  /** Ends every wait. */
  readonly signal: AbortSignal;
}

export interface BenchEnvironmentOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
  /** Everything that is started registers its teardown here. */
  readonly stack: AsyncDisposableStack;
}

/** Connections of the bench's own clients: enough to fill a environment quickly. */
const CONNECTIONS = 16;

export async function openBenchEnvironment(options: BenchEnvironmentOptions): Promise<BenchEnvironment> {
  const { directory, clock, print, signal, stack } = options;
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
  const planes = { management, kyma };
  const simulator = await startHanaCloudSimulator({ latencyMs: HANA_LATENCY_MS });
  stack.defer(() => simulator.stop());
  const caFile = join(directory, 'hana-ca.pem');
  await writeFile(caFile, simulator.caCertificate);
  await Promise.all([packageCrds().then((crds) => installCrds(management, crds)), installBtpKinds(kyma)]);

  const kubeconfigsOf = async (user: string) => ({
    management: await management.addUser({ name: user, groups: ADMINS }),
    kyma: await kyma.addUser({ name: user, groups: ADMINS }),
  });
  const own = await kubeconfigsOf('bench');
  const open = async (plane: PlaneName) => {
    const client = createPlainClient(await endpointOf(own[plane]), CONNECTIONS);
    stack.defer(() => client.close());
    return client;
  };
  return {
    planes,
    simulator,
    management: await open('management'),
    kyma: await open('kyma'),
    kubeconfigs: { provider: await kubeconfigsOf('provider'), plain: await kubeconfigsOf('plain') },
    caFile,
    plainProgram: await bundlePlain(directory),
    directory,
    clock,
    signal,
  };
}

/** Authorization is not measured; checking it costs an API server next to nothing. */
const ADMINS = ['system:masters'];

/** The server and the credentials of a kubeconfig. */
export async function endpointOf(kubeconfig: string): Promise<Endpoint> {
  const config = parseUntrustedKubeconfig(kubeconfig);
  const { ca = '', cert = '', key = '' } = await config.credentials();
  return { origin: config.server, ca, cert, key };
}
