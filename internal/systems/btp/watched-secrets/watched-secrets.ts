/**
 * Secrets with marks: those whose changes update instances (`watchParametersFromChanges`), and those with credentials that
 * are needed until the last instance and binding is gone. A reconcile marks its Secrets; this file finds and removes marks.
 */

import type { ServiceInstance } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { createLruCache } from '../../../framework/base/collections/lru-cache.ts';
import { type Logger, messageOf } from '../../../framework/base/index.ts';
import { createObjectIndex, type ObjectIndex } from '../../../framework/controller/index.ts';
import {
  type Informers,
  isConflict,
  isForbidden,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  keyString,
  secrets,
} from '../../../framework/kube/index.ts';
import { instancesOf, ownMarks } from '../caches.ts';
import { type CredentialSettings, isDefaultOfCluster } from '../credentials/secret-names.ts';
import {
  addWatcher,
  credentialUse,
  type MarksPatch,
  removeWatchers,
  watchers,
  watchLabel,
} from './watch-marks.ts';

const selection = { labelSelector: `${watchLabel}=true` };

/** Metadata of all Secrets that an instance watches. */
export const watchedSecretsOf = (informers: Informers) =>
  informers.metadataOf(secrets, { selection, transform: ownMarks });

/** Instances by uid, for marks of Secrets. */
export const instancesByUid = (informers: Informers): ObjectIndex<ServiceInstance> =>
  createObjectIndex(instancesOf(informers), ({ metadata }) => [metadata.uid ?? '']);

/** The instances that are updated when the Secret changes. */
export const watchingInstances = (byUid: ObjectIndex<ServiceInstance>, secret: KubeObject): string[] =>
  watchers(secret).flatMap((uid) =>
    byUid
      .of(uid)
      .filter(({ metadata }) => metadata.namespace === secret.metadata.namespace)
      .map((instance) => keyString(keyOf(instance))),
  );

/** Stores the patch. A conflict is an error, which is retried; a Secret that is gone needs no patch. */
export async function patchMarks(
  client: KubeClient,
  secret: KubeObject,
  patch: MarksPatch | undefined,
  signal: AbortSignal,
): Promise<KubeObject> {
  if (patch === undefined) return secret;
  try {
    return await client.mergePatch(secrets, keyOf(secret), patch, { signal });
  } catch (error) {
    if (isNotFound(error)) return secret;
    throw error;
  }
}

/** Others that change the same Secret are reconciles of other objects, and users. */
const ATTEMPTS = 4;

/** Patches the Secret until `change` has no patch for it; it is read again after a conflict. Ends if it is gone. */
export async function changeMarks(
  client: KubeClient,
  secret: KubeObject,
  change: (secret: KubeObject) => MarksPatch | undefined,
  signal: AbortSignal,
): Promise<void> {
  let current = secret;
  for (let attempt = 1; ; attempt++) {
    try {
      await patchMarks(client, current, change(current), signal);
      return;
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
    try {
      current = await client.getMetadata(secrets, keyOf(secret), { signal });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
  }
}

/** Removes the marks of the instance from Secrets other than `kept`. */
export async function unwatchSecrets(
  instance: ServiceInstance,
  kept: readonly string[],
  { client, informers, signal }: { client: KubeClient; informers: Informers; signal: AbortSignal },
): Promise<void> {
  const { uid = '', namespace } = instance.metadata;
  for (const known of watchedSecretsOf(informers).list()) {
    const { metadata } = known;
    if (metadata.namespace !== namespace || kept.includes(metadata.name)) continue;
    await patchMarks(client, known, removeWatchers(known, [uid]), signal);
  }
}

interface MarkCredentialsOptions {
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
type MarkCredentials = (found: readonly KubeObject[], signal: AbortSignal) => Promise<void>;

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
