import { type AdminKubeconfigRequest, shoots } from '../../../../apis/gardener/kinds.ts';
import { ProviderError } from '../../../framework/base/errors/errors.ts';
import { parseTimestamp } from '../../../framework/base/time/timestamp.ts';
import type { CallOptions, KubeObject } from '../../../framework/kube/index.ts';
import { type Gardener, namespaceOf } from '../gardener/gardener.ts';
import { ask } from '../gardener/refusal.ts';

export interface FetchedKubeconfig {
  /** In base64. */
  readonly kubeconfig: string;
  /** When Gardener lets it expire, in ms since the epoch; undefined: it does not say. */
  readonly expiresAt: number | undefined;
}

/** In base64 characters: what a Secret can have, and what is read of a kubeconfig. */
const MAX_BASE64 = 350_000;

/**
 * Requests a kubeconfig of an administrator. Addresses in it are used as Gardener gives them.
 *
 * @throws GardenerRefusal; `not-found` if there is no such Shoot
 */
export async function fetchKubeconfig(
  { client, project }: Pick<Gardener, 'client' | 'project'>,
  shoot: string,
  expirationMs: number,
  options: CallOptions,
): Promise<FetchedKubeconfig> {
  const body: Omit<AdminKubeconfigRequest, 'status'> = {
    apiVersion: 'authentication.gardener.cloud/v1alpha1',
    kind: 'AdminKubeconfigRequest',
    spec: { expirationSeconds: Math.floor(expirationMs / 1000) },
  };
  const key = { namespace: namespaceOf({ project }), name: shoot };
  const { status } = await ask(() =>
    client.createSubresource<AdminKubeconfigRequest & KubeObject>(
      shoots,
      key,
      'adminkubeconfig',
      body,
      options,
    ),
  );
  const { kubeconfig = '', expirationTimestamp }: Partial<AdminKubeconfigRequest['status']> = status ?? {};
  if (kubeconfig === '' || kubeconfig.length > MAX_BASE64)
    throw new ProviderError('transient', `Gardener returned no kubeconfig of Shoot ${shoot}`);
  return { kubeconfig, expiresAt: parseTimestamp(expirationTimestamp) };
}
