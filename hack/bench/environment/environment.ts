/**
 * What measurements run against: two real control planes, a HANA Cloud simulator whose every answer takes 20 ms, and
 * the CRDs. Started once for all measurements of a run that need it. Who asks is told by user names: the provider, the
 * plain program, and the bench itself, whose requests count for nobody.
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

/** How much later every answer of HANA Cloud comes, in ms. */
export const HANA_LATENCY_MS = 20;

export type Asker = 'provider' | 'plain';
export type PlaneName = 'management' | 'kyma';

export interface Landscape {
  readonly planes: Readonly<Record<PlaneName, ControlPlane>>;
  readonly simulator: HanaCloudSimulator;
  /** The bench's own hands on the clusters: fast, and not counted. */
  readonly management: PlainClient;
  readonly kyma: PlainClient;
  /** Kubeconfig of somebody who may do everything, with the name by which audit events tell them. */
  readonly kubeconfigs: Readonly<Record<Asker, Readonly<Record<PlaneName, string>>>>;
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

export interface LandscapeOptions {
  readonly directory: string;
  readonly clock: Clock;
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal;
  /** Everything that is started puts here how it is stopped. */
  readonly stack: AsyncDisposableStack;
}

/** Connections of the bench's own clients: enough to fill a landscape quickly. */
const CONNECTIONS = 16;

export async function openLandscape(options: LandscapeOptions): Promise<Landscape> {
  const { directory, clock, tell, signal, stack } = options;
  tell('starting two control planes and HANA Cloud');
  const binaries = await ensureBinaries({ report: tell, clock });
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

/** No rights are measured here; asking for each costs an API server next to nothing. */
const ADMINS = ['system:masters'];

/** The server and the credentials of a kubeconfig. */
export async function endpointOf(kubeconfig: string): Promise<Endpoint> {
  const config = parseUntrustedKubeconfig(kubeconfig);
  const { ca = '', cert = '', key = '' } = await config.credentials();
  return { origin: config.server, ca, cert, key };
}
