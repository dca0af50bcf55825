import { getIfExists } from '../../../framework/kube/client/get-if-exists.ts';
import { keyString, type Secret, secrets } from '../../../framework/kube/index.ts';
import { isOlder } from '../../../framework/kube/object/resource-version.ts';
import { assertPermitted, type OwnershipRule, ownershipOf } from '../../../framework/ownership/ownership.ts';
import { type KubeconfigSecret, kubeconfigInformer } from './kubeconfig-secret.ts';
import {
  annotationLastSync,
  clusterOwner,
  labelShootName,
  recordedCluster,
  secretKeyOf,
} from './metadata.ts';
import type { GardenerClusterRun } from './run.ts';

/** The Secret as the informer or the last own write has it, without its content; undefined: the informer does not have it. */
export async function knownSecret(run: GardenerClusterRun): Promise<KubeconfigSecret | undefined> {
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
  const found = await getIfExists(context.client, secrets, secretKeyOf(object), context);
  return found && ownedBy(run, found);
}

/** A Secret of others must neither be overwritten nor deleted, whatever a GardenerCluster names. @throws OwnershipError */
async function ownedBy<S extends KubeconfigSecret | Secret>(
  { object }: GardenerClusterRun,
  secret: S,
): Promise<S> {
  const own = clusterOwner(object.metadata);
  const ownership = await ownershipOf({
    own,
    recorded: recordedCluster(secret),
    // The object of that name is this one by now.
    isGone: ({ namespace, name }) => namespace === own.namespace && name === own.name,
  });
  const rule: OwnershipRule = {
    unrecorded: isOfShoot(secret, object) ? ['adopt', 'update'] : [],
    abandoned: ['adopt', 'update'],
  };
  const resource = `Secret ${keyString(secretKeyOf(object))}`;
  assertPermitted(ownership, 'update', rule, { resource, own, remedy: 'choose another name' });
  return secret;
}

/** Secrets of older programs say only of which Shoot they are, or when their kubeconfig was stored. */
function isOfShoot({ metadata }: KubeconfigSecret | Secret, { spec }: GardenerClusterRun['object']): boolean {
  const { labels: { [labelShootName]: shoot } = {}, annotations = {} } = metadata;
  return shoot === undefined ? annotations[annotationLastSync] !== undefined : shoot === spec.shoot.name;
}
