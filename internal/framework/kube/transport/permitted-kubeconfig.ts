import { EndpointRefusedError, guardedLookup, refusalOf } from '../../http/transport/endpoint-guard.ts';
import { KubeconfigError } from '../config/kubeconfig-document.ts';
import { parseUntrustedKubeconfig } from '../config/untrusted-kubeconfig.ts';
import type { TransportOptions } from './transport.ts';

/**
 * The kubeconfig of a cluster that belongs to others, as options of a transport. Loopback and link-local addresses are refused, also
 * those that a name leads to; private ones are accepted.
 *
 * @param allowPrivateEndpoints accepts every address
 * @throws KubeconfigError, EndpointRefusedError without a part of the kubeconfig that may be secret
 */
export function permittedKubeconfig(
  kubeconfig: string,
  allowPrivateEndpoints: boolean,
): Pick<TransportOptions, 'config' | 'lookup'> {
  const config = parseUntrustedKubeconfig(kubeconfig);
  if (allowPrivateEndpoints) return { config };
  // A proxy resolves names itself, and may be anything.
  if (config.proxyUrl !== undefined) throw new KubeconfigError('proxy');
  const refusal = refusalOf(new URL(config.server), 'private');
  if (refusal === undefined) return { config, lookup: guardedLookup(undefined, 'private') };
  throw new EndpointRefusedError(
    `the server of the kubeconfig is refused: ${refusal} (--allow-private-endpoints permits it)`,
  );
}
