/** Kubeconfigs that their clusters refuse, as the controllers that use them report it, so that others are fetched before they are due. */

import { isUntrusted } from '../../../framework/kube/errors/errors.ts';
import { isUnauthorized } from '../../../framework/kube/index.ts';

export interface RefusedKubeconfigs {
  /**
   * Notes the error of a request to a cluster if it means that the kubeconfig is not valid any more: 401, or a certificate of another
   * authority.
   *
   * @param secret key of the Secret
   * @param version of the Secret that was used
   */
  report(secret: string, version: string, error: unknown): void;
  has(secret: string, version: string): boolean;
  forget(secret: string): void;
  /** Calls the listener with the key of each Secret that is reported, until the returned function is called. */
  onReport(listener: (secret: string) => void): () => void;
}

export function createRefusedKubeconfigs(): RefusedKubeconfigs {
  const versions = new Map<string, string>();
  const listeners = new Set<(secret: string) => void>();
  return {
    report: (secret, version, error) => {
      if (!isUnauthorized(error) && !isUntrusted(error)) return;
      versions.set(secret, version);
      for (const listener of listeners) listener(secret);
    },
    has: (secret, version) => versions.get(secret) === version,
    forget: (secret) => void versions.delete(secret),
    onReport: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
