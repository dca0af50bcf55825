import { createLruCache } from '../../../framework/base/collections/lru-cache.ts';
import { type Logger, messageOf } from '../../../framework/base/index.ts';

import {
  isForbidden,
  type KubeClient,
  type KubeObject,
  keyOf,
  keyString,
} from '../../../framework/kube/index.ts';
import { type CredentialSettings, isDefaultOfCluster } from '../credentials/secret-names.ts';
import { addWatcher, credentialUse } from './watch-marks.ts';
import { changeMarks } from './watched-secrets.ts';

export interface MarkCredentialsOptions {
  readonly client: KubeClient;
  readonly settings: CredentialSettings;
  readonly log: Logger;
}

/**
 * Marks Secrets whose credentials are used, so that they are kept until the last object that needs them is gone. Not marked are:
 *
 * - a Secret that is being deleted: it can get no finalizer
 * - the default of the cluster. It belongs to the Helm chart; if it outlived an uninstallation without clean-up, it would
 *   prevent the next installation
 * - a Secret that the API server does not allow to change. It is used all the same, and logged once
 */
export type MarkCredentials = (found: readonly KubeObject[], signal: AbortSignal) => Promise<void>;

/** Of the names of Secrets that were logged. */
const DENIED_BYTES = 1024 * 1024;

export function createMarkCredentials({ client, settings, log }: MarkCredentialsOptions): MarkCredentials {
  const denied = createLruCache<string, true>({ maxBytes: DENIED_BYTES });
  const change = (secret: KubeObject) =>
    secret.metadata.deletionTimestamp === undefined ? addWatcher(secret, credentialUse) : undefined;
  return async (found, signal) => {
    for (const secret of found) {
      if (isDefaultOfCluster(keyOf(secret), settings)) continue;
      try {
        await changeMarks(client, secret, change, signal);
      } catch (error) {
        if (!isForbidden(error)) throw error;
        const key = keyString(keyOf(secret));
        if (denied.has(key)) continue;
        denied.set(key, true);
        log.error('cannot keep a Secret with credentials until it is no longer needed', {
          secret: key,
          error: messageOf(error),
        });
      }
    }
  };
}
