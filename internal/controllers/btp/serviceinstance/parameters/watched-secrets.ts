/**
 * Secrets whose changes update instances (`watchParametersFromChanges`). A reconcile of an instance marks its Secrets; this
 * file finds and removes marks.
 */
import {
  type Informers,
  isNotFound,
  type KubeClient,
  type KubeObject,
  keyOf,
  secrets,
} from '../../../../kube/index.ts';
import { done, mapped, type ReconciledKind, requeueOnConflict } from '../../../../runtime/index.ts';
import { secretKeysOf } from '../../parameters/read-parameters.ts';
import { type ServiceInstance, serviceInstances } from '../resource.ts';
import { type MarksPatch, releaseDeleted, removeWatchers, watchers, watchLabel } from './watch-marks.ts';

const selection = { labelSelector: `${watchLabel}=true` };

/** Metadata of all Secrets that an instance watches. */
export const watchedSecretsOf = (informers: Informers) => informers.metadataOf(secrets, { selection });

/** The instances that are updated when the Secret changes. */
export function watchingInstances(informers: Informers, secret: KubeObject): string[] {
  const uids = new Set(watchers(secret));
  const { namespace } = secret.metadata;
  return informers
    .of(serviceInstances)
    .list()
    .flatMap(({ metadata }) =>
      metadata.namespace === namespace && uids.has(metadata.uid ?? '')
        ? [`${namespace}/${metadata.name}`]
        : [],
    );
}

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

/**
 * Releases watched Secrets that are being deleted, and removes marks of instances that do not exist any more, e.g. because
 * a user removed their finalizer.
 */
export const watchedSecretKind: ReconciledKind<KubeObject> = {
  type: secrets,
  needs: [serviceInstances],
  cache: watchedSecretsOf,
  sources: (informers) => [mapped(informers.of(serviceInstances), secretKeysOf, { predicate: () => false })],
  reconcile: ({ object }, { client, informers, signal }) =>
    requeueOnConflict(async () => {
      const released = releaseDeleted(object);
      const patch = released ?? removeWatchers(object, withoutInstance(object, informers));
      await patchMarks(client, object, patch, signal);
      return done;
    }),
};

/** The uids on the Secret that no instance of its namespace has. */
function withoutInstance(secret: KubeObject, informers: Informers): string[] {
  const { namespace } = secret.metadata;
  const instances = informers.of(serviceInstances).list();
  const existing = new Set(
    instances.flatMap(({ metadata }) => (metadata.namespace === namespace ? [metadata.uid] : [])),
  );
  return watchers(secret).filter((uid) => !existing.has(uid));
}
