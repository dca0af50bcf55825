import { type Logger, messageOf } from '../../../../framework/base/index.ts';

import type { KubeconfigSource } from '../model/kubeconfig-source.ts';
import { isTenant, registrantOf } from '../model/registrant.ts';

export interface CurrentKubeconfigOptions {
  readonly runtimeId: string;
  /** The name of the registration, which says whose it is. */
  readonly runtimeName: string;
  /** That of the registration; undefined: it had none. */
  readonly stored: string | undefined;
  readonly kubeconfigs: KubeconfigSource | undefined;
  readonly log: Logger;
}

/**
 * The kubeconfig of a cluster: that of its Secret, which is rotated, or else that of the registration. While Secrets cannot be
 * read, that of the registration is used if there is one.
 *
 * Secrets are for registrations of operators. A tenant may name the id of any runtime, so that only the kubeconfig counts that it has
 * registered.
 */
export async function currentKubeconfig(
  { runtimeId, runtimeName, stored, kubeconfigs, log }: CurrentKubeconfigOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (isTenant(registrantOf({ name: runtimeName }))) return stored;
  try {
    return (await kubeconfigs?.read(runtimeId, signal)) ?? stored;
  } catch (error) {
    if (stored === undefined) throw error;
    log.info('cannot read the Secret with a kubeconfig, using that of the registration', {
      'runtime-id': runtimeId,
      error: messageOf(error),
    });
    return stored;
  }
}
