import { messageOf } from '../../../framework/base/errors/errors.ts';
import type { Clock } from '../../../framework/base/time/clock.ts';
import { withDeadline } from '../../../framework/base/time/deadline.ts';
import {
  type ConnectCluster,
  isForbidden,
  isNotFound,
  namespaces,
  parseUntrustedKubeconfig,
} from '../../../framework/kube/index.ts';

export interface TryOptions {
  readonly connect: ConnectCluster;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Time for the answer of a cluster, in ms. */
const TIMEOUT_MS = 10_000;

/** Whether a cluster answers to its kubeconfig, in base64. Returns why not; undefined: it does. */
export async function tryKubeconfig(
  kubeconfig: string,
  { connect, clock, signal }: TryOptions,
): Promise<string | undefined> {
  try {
    const config = parseUntrustedKubeconfig(Buffer.from(kubeconfig, 'base64').toString('utf8'));
    const cluster = connect(config, { name: 'remote', required: false, trust: 'hostile' });
    using deadline = withDeadline(clock, TIMEOUT_MS, 'a request to the runtime cluster', signal);
    try {
      await cluster.client.get(namespaces, { name: 'kube-system' }, deadline);
    } catch (error) {
      // The cluster knows the user; what the user may do is another matter.
      if (!isForbidden(error) && !isNotFound(error)) throw error;
    } finally {
      await cluster.close();
    }
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}
