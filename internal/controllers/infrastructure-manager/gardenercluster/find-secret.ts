import { ProviderError } from '../../../base/errors/errors.ts';
import { isNotFound, keyString, type Secret, secrets } from '../../../kube/index.ts';
import { isOlder } from '../../../kube/object/resource-version.ts';
import { type KubeconfigSecret, kubeconfigInformer } from './kubeconfig-secret.ts';
import { annotationLastSync, labelClusterName, labelShootName, secretKeyOf } from './metadata.ts';
import type { GardenerClusterRun } from './run.ts';

/** The Secret as the informer or the last own write has it, without its content; undefined: the informer does not have it. */
export function knownSecret(run: GardenerClusterRun): KubeconfigSecret | undefined {
  const { context, object } = run;
  const cached = kubeconfigInformer(context.informers).get(keyString(secretKeyOf(object)));
  const written = context.memory.get()?.written;
  if (cached === undefined) return undefined;
  const isAhead =
    written?.metadata.uid === cached.metadata.uid &&
    isOlder(cached.metadata.resourceVersion ?? '', written?.metadata.resourceVersion ?? '');
  return ownedBy(run, isAhead && written !== undefined ? written : cached);
}

/** The newest version with its content; undefined: there is none. */
export async function readSecret(run: GardenerClusterRun): Promise<Secret | undefined> {
  const { context, object } = run;
  try {
    return ownedBy(run, await context.client.get(secrets, secretKeyOf(object), context));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A Secret of others must neither be overwritten nor deleted, whatever a GardenerCluster names. */
function ownedBy<S extends KubeconfigSecret | Secret>({ object }: GardenerClusterRun, secret: S): S {
  const { labels = {}, annotations = {} } = secret.metadata;
  const { [labelClusterName]: cluster, [labelShootName]: shoot } = labels;
  const isOwn =
    cluster === undefined
      ? shoot === object.spec.shoot.name ||
        (shoot === undefined && annotations[annotationLastSync] !== undefined)
      : cluster === object.metadata.name;
  if (isOwn) return secret;
  const name = keyString(secretKeyOf(object));
  throw new ProviderError(
    'terminal',
    `Secret ${name} belongs to ${cluster ?? 'others'}: choose another name`,
  );
}
