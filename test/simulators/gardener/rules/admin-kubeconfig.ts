import { stringify } from 'yaml';
import type { AdminKubeconfigRequest, Shoot } from '../../../../apis/gardener/kinds.ts';
import { formatTimestamp } from '../../../../internal/framework/base/time/formats.ts';
import type { Refuse } from '../../../../internal/framework/kube/fakes/memory-store.ts';
import type { IssuingShootAuthority } from '../gardenlet/shoot-authority.ts';

export interface AdminKubeconfigs {
  readonly authority: IssuingShootAuthority;
  readonly user: string;
  readonly now: () => number;
  /** The most that is granted, in seconds; Gardener's default is a day. */
  readonly maxSeconds: () => number;
  /** The authority of the API server of a Shoot, PEM; undefined: the gardenlet has not written it. */
  readonly clusterAuthorityOf: (shoot: Shoot) => string | undefined;
}

const MIN_SECONDS = 600;
const DEFAULT_SECONDS = 3600;
const MAX_INT32 = 2 ** 32;
const ADDRESSES = ['external', 'internal', 'unmanaged', 'wildcard-tls-seed-bound'];

/** The answer to `POST shoots/<name>/adminkubeconfig`. */
export async function adminKubeconfig(
  shoot: Shoot,
  request: AdminKubeconfigRequest,
  options: AdminKubeconfigs,
  refuse: Refuse,
): Promise<AdminKubeconfigRequest> {
  const asked = request.spec?.expirationSeconds ?? DEFAULT_SECONDS;
  if (asked < MIN_SECONDS)
    refuse(
      422,
      'Invalid',
      `spec.expirationSeconds: Invalid value: ${asked}: may not specify a duration less than 10 minutes`,
    );
  if (asked > MAX_INT32)
    refuse(
      422,
      'Invalid',
      `spec.expirationSeconds: Invalid value: ${asked}: may not specify a duration larger than 2^32 seconds`,
    );
  const addresses = (shoot.status?.advertisedAddresses ?? []).filter(({ name }) => ADDRESSES.includes(name));
  if (addresses.length === 0)
    refuse(
      422,
      'Invalid',
      'status.status: Invalid value: no suitable advertised address for kube-apiserver found in .status.advertisedAddresses',
    );
  const ca = options.clusterAuthorityOf(shoot);
  if (ca === undefined) return refuse(500, 'InternalError', 'could not get client CA secret');
  const seconds = Math.min(asked, options.maxSeconds());
  const now = options.now();
  const until = Math.floor(now / 1000) * 1000 + seconds * 1000;
  const client = await options.authority.issue(options.user, now, until);
  const name = `${shoot.metadata.namespace}--${shoot.metadata.name}`;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const names = addresses.map((address) => `${name}-${address.name}`);
  const kubeconfig = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': names[0],
    clusters: addresses.map(({ url }, index) => ({
      name: names[index],
      cluster: { server: `https://${new URL(url).host}`, 'certificate-authority-data': base64(ca) },
    })),
    contexts: names.map((cluster) => ({ name: cluster, context: { cluster, user: names[0] } })),
    users: [
      {
        name: names[0],
        user: {
          'client-certificate-data': base64(client.certificate),
          'client-key-data': base64(client.key),
        },
      },
    ],
  });
  return {
    apiVersion: 'authentication.gardener.cloud/v1alpha1',
    kind: 'AdminKubeconfigRequest',
    spec: { expirationSeconds: seconds },
    status: { kubeconfig: base64(kubeconfig), expirationTimestamp: formatTimestamp(until) },
  };
}
