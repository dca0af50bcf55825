/** Whose a Shoot, a GardenerCluster and objects in a runtime cluster are, and the GardenerCluster of a Runtime. */
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { jsonEqual, ProviderError } from '../../../framework/base/index.ts';
import { withShardLabels } from '../../../framework/controller/index.ts';
import {
  getIfExists,
  isAlreadyExists,
  type KubeObject,
  keyString,
  type ObjectKey,
} from '../../../framework/kube/index.ts';
import {
  isPermitted,
  type OwnedAction,
  type Owner,
  type Ownership,
  type OwnershipRule,
  ownershipOf,
  ownershipText,
} from '../../../framework/ownership/ownership.ts';
import { namespaceOf, shootKey } from '../gardener/gardener.ts';
import { gardenerClusterFor, recordedRuntime, runtimeRecord } from '../gardenercluster/metadata.ts';
import { annotationRuntimeId, labels, runtimeIdOf } from '../metadata.ts';
import { type RuntimeRun, shootNameOf } from './run.ts';
import { conditionTypes, type Reason, reasons } from './status.ts';

export const runtimeOwner = ({ metadata: { namespace, name, uid } }: Runtime): Owner => ({
  kind: runtimes.kind,
  namespace,
  name,
  uid,
});

/** Whether no Runtime has that uid any more. */
async function isRuntimeGone(
  { object, context }: RuntimeRun,
  { namespace = '', name, uid }: Owner,
): Promise<boolean> {
  const { metadata } = object;
  // This one follows it under the same name.
  if (namespace === metadata.namespace && name === metadata.name) return true;
  const found = await getIfExists(context.client, runtimes, { namespace, name }, context);
  return found?.metadata.uid !== uid;
}

// Whose a Shoot is. The record is its annotation `runtime-id`, which has no uid. Whose that ID is say, in this order:
//
// 1. the GardenerCluster of that ID, if it is of this Shoot: it records the uid of its Runtime
// 2. of the Runtimes that name this Shoot, one with that ID, if it managed a Shoot before or no other did
// 3. the one that managed a Shoot before: then its ID was changed
//
/** Why the Runtime may not do that with its Shoot, or with the name of the Shoot if there is none; undefined: it may. */
export async function foreignShoot(run: RuntimeRun, action: OwnedAction): Promise<string | undefined> {
  const { shoot, object, gardener } = run;
  const ownership = await shootOwnership(run);
  if (isPermitted(ownership, action, ruleOf(run))) return undefined;
  const name = shoot?.metadata.name ?? shootNameOf(object) ?? '';
  return ownershipText(ownership, action, {
    resource: `Shoot ${namespaceOf(gardener)}/${name}`,
    own: runtimeOwner(object),
    remedy: `create a Runtime with another spec.shoot.name; if the Shoot is that of this Runtime, correct its annotation ${annotationRuntimeId}`,
  });
}

/** A Shoot without a record, or of a Runtime that was restored from a backup, is adopted. It is deleted only if it was managed. */
function ruleOf({ shoot, object, copy }: RuntimeRun): OwnershipRule {
  const isSameId = shoot !== undefined && runtimeIdOf(object) === idOf(shoot);
  return {
    unrecorded: ['adopt', 'update', ...(hasManaged(copy.original) ? (['delete'] as const) : [])],
    abandoned: isSameId ? ['adopt', 'update', 'delete'] : [],
  };
}

async function shootOwnership(run: RuntimeRun): Promise<Ownership> {
  const own = runtimeOwner(run.object);
  return ownershipOf({
    own,
    recorded: recordedOwner(run, own),
    isGone: (owner) => isRuntimeGone(run, owner),
  });
}

const idOf = ({ metadata }: Shoot): string | undefined =>
  metadata.annotations?.[annotationRuntimeId] || undefined;

function recordedOwner(run: RuntimeRun, own: Owner): Owner | undefined {
  const { shoot, object, context } = run;
  const name = shootNameOf(object);
  if (name === undefined) return own;
  const named = run.runtimesNaming(shootKey(run.gardener, name)).toSorted(byAge);
  // The one that had it creates it again, or else the oldest of those that name it.
  if (shoot === undefined) return ownerOf(named.find(hasManaged) ?? named[0], own);
  const id = idOf(shoot);
  if (id === undefined) return undefined;
  const cluster = context.informers
    .of(gardenerClusters)
    .get(keyString({ namespace: object.metadata.namespace, name: id }));
  const recorded = cluster?.spec.shoot.name === name ? recordedRuntime(cluster) : undefined;
  if (recorded !== undefined) return recorded;
  const withId = named.filter((runtime) => runtimeIdOf(runtime) === id);
  const manager = withId.find(hasManaged) ?? named.find(hasManaged) ?? withId[0];
  if (manager !== undefined) return ownerOf(manager, own);
  return hasManaged(run.copy.original) ? own : { kind: own.kind, name: `with the ID ${id}` };
}

const ownerOf = (runtime: Runtime | undefined, own: Owner): Owner =>
  runtime === undefined ? own : runtimeOwner(runtime);

/** RFC 3339 in UTC, so that the order of text is that of time. */
function byAge({ metadata: a }: Runtime, { metadata: b }: Runtime): number {
  const [older, younger] = [`${a.creationTimestamp ?? ''} ${a.uid}`, `${b.creationTimestamp ?? ''} ${b.uid}`];
  return older < younger ? -1 : 1;
}

/** Reasons of a Runtime whose Shoot was created, adopted or patched. */
const MANAGED: readonly string[] = [
  reasons.pending,
  reasons.shootCreationCompleted,
  reasons.processing,
  reasons.configurationCompleted,
  reasons.creationError,
  reasons.processingError,
] satisfies readonly Reason[];

/** A copy of a Runtime has no status. */
function hasManaged({ status }: Runtime): boolean {
  const provisioned = status?.conditions?.find(({ type }) => type === conditionTypes.provisioned);
  return (
    status?.provisioningCompleted === true ||
    (provisioned !== undefined && MANAGED.includes(provisioned.reason))
  );
}

/** One without a record is of the Kyma infrastructure manager: it belongs to the owner of the Shoot that it names. */
const OF_ITS_SHOOT: OwnershipRule = {
  unrecorded: ['adopt', 'update', 'delete'],
  abandoned: ['adopt', 'update', 'delete'],
};
const OF_ANOTHER_SHOOT: OwnershipRule = { unrecorded: [], abandoned: [] };

/** Whose a GardenerCluster is: its record, an annotation, has the uid of its Runtime. */
const clusterOwnership = (run: RuntimeRun, found: GardenerCluster): Promise<Ownership> =>
  ownershipOf({
    own: runtimeOwner(run.object),
    recorded: recordedRuntime(found),
    isGone: (owner) => isRuntimeGone(run, owner),
  });

/**
 * Whether the Runtime may do that with the GardenerCluster.
 *
 * @param ownsShoot whether its Shoot, or the name of that, is this Runtime's
 */
function isClusterPermitted(
  { object }: RuntimeRun,
  found: GardenerCluster,
  {
    ownership,
    action,
    ownsShoot,
  }: {
    readonly ownership: Ownership;
    readonly action: OwnedAction;
    readonly ownsShoot: boolean;
  },
): boolean {
  const isOfShoot = ownsShoot && found.spec.shoot.name === shootNameOf(object);
  return isPermitted(ownership, action, isOfShoot ? OF_ITS_SHOOT : OF_ANOTHER_SHOOT);
}

/**
 * The GardenerClusters of a Runtime that is deleted: by its ID, by the one that its Shoot says, and by the Shoot, since the label may
 * have been changed. Those of others with the same ID are not among them.
 */
export async function ownGardenerClusters(run: RuntimeRun, ownsShoot: boolean): Promise<GardenerCluster[]> {
  const { object, shoot, context } = run;
  const { namespace = '' } = object.metadata;
  const names = new Set([
    runtimeIdOf(object),
    shoot?.metadata.annotations?.[annotationRuntimeId],
    ...run.clustersOf(namespace, shootNameOf(object) ?? ''),
  ]);
  const found: GardenerCluster[] = [];
  for (const name of names) {
    if (name === undefined || name === '') continue;
    const cluster = await getIfExists(context.client, gardenerClusters, { namespace, name }, context);
    if (cluster === undefined) continue;
    const ownership = await clusterOwnership(run, cluster);
    if (isClusterPermitted(run, cluster, { ownership, action: 'delete', ownsShoot })) found.push(cluster);
  }
  return found;
}

/** Those of the Kyma infrastructure manager have no record: their labels say that they are of the Runtime of the cluster. */
const RULE: OwnershipRule = {
  unrecorded: ['adopt', 'update', 'delete'],
  abandoned: ['adopt', 'update', 'delete'],
};

/** Whose objects in a runtime cluster are, of those that this program writes. */
export interface ObjectOwnership {
  /** Annotations of an object: the Runtime with its uid, and the key of the object, so that a copy of it has no owner. */
  recordOf(key: ObjectKey): Readonly<Record<string, string>>;
  /** Those that may be changed and deleted. */
  ownOf<T extends KubeObject>(objects: readonly T[]): Promise<readonly T[]>;
}

export const objectOwnershipOf = ({ object, gardener, runtimesNaming }: RuntimeRun): ObjectOwnership =>
  objectOwnership(object, runtimesNaming(shootKey(gardener, shootNameOf(object) ?? '')));

/** @param naming the Runtimes that name the Shoot of the cluster: others have nothing in it */
export function objectOwnership(runtime: Runtime, naming: readonly Runtime[]): ObjectOwnership {
  const own = runtimeOwner(runtime);
  // The cluster belongs to its users, so no request depends on what they write.
  const isGone = ({ uid }: { readonly uid: string }) => !naming.some(({ metadata }) => metadata.uid === uid);
  const isOwn = async (object: KubeObject) =>
    isPermitted(await ownershipOf({ own, recorded: recordedRuntime(object), isGone }), 'delete', RULE);
  return {
    recordOf: (key) => runtimeRecord(own, key),
    ownOf: async (objects) => {
      const states = await Promise.all(objects.map(isOwn));
      return objects.filter((_, index) => states[index] === true);
    },
  };
}

/** The GardenerCluster of that name is not that of the Runtime. */
export class MismatchError extends ProviderError {
  constructor(message: string) {
    super('terminal', message);
  }
}

function clusterKeyOf({ object }: RuntimeRun) {
  const name = runtimeIdOf(object);
  if (name === undefined) throw new MismatchError(`missing required label ${labels.runtimeId}`);
  return { namespace: object.metadata.namespace, name };
}

/** That of the Runtime. Whether there is none, its create says. @throws MismatchError */
export async function findOrCreateGardenerCluster(run: RuntimeRun): Promise<GardenerCluster> {
  const cached = run.context.informers.of(gardenerClusters).get(keyString(clusterKeyOf(run)));
  return cached === undefined ? createGardenerCluster(run) : adopted(run, cached);
}

/**
 * Two Runtimes with one ID must not get the cluster of each other. One whose Runtime was restored from a backup gets the new owner, and
 * its labels follow those of the Runtime, such as that of its global account; those of the Secret follow them.
 */
async function adopted(run: RuntimeRun, found: GardenerCluster): Promise<GardenerCluster> {
  const { object, context } = run;
  const ownership = await clusterOwnership(run, found);
  const shoot = object.spec?.shoot.name;
  const { namespace, name } = found.metadata;
  const isOfShoot = found.spec.shoot.name === shoot;
  if (!isOfShoot || !isClusterPermitted(run, found, { ownership, action: 'adopt', ownsShoot: true })) {
    const whose = isOfShoot ? 'of another Runtime' : `of Shoot ${found.spec.shoot.name}, not of ${shoot}`;
    throw new MismatchError(
      `GardenerCluster ${namespace}/${name} is ${whose}: labels ${labels.runtimeId} must differ`,
    );
  }
  const wanted = gardenerClusterFor(object, name, shootOf(run)).metadata;
  const { labels: own = {}, annotations = {} } = found.metadata;
  const followed = withShardLabels({ ...own, ...wanted.labels }, context.shardLabels);
  const isFollowing = jsonEqual(own, followed);
  if (ownership.state !== 'abandoned' && isFollowing) return found;
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite();
  context.guard.assertMayWrite();
  const metadata = {
    ...found.metadata,
    labels: followed,
    annotations: { ...annotations, ...runtimeRecord(runtimeOwner(object), found.metadata) },
  };
  return context.client.update(gardenerClusters, { ...found, metadata }, context);
}

function shootOf({ shoot }: RuntimeRun): Shoot {
  if (shoot === undefined) throw new ProviderError('bug', 'a kubeconfig without a Shoot');
  return shoot;
}

async function createGardenerCluster(run: RuntimeRun): Promise<GardenerCluster> {
  const { context, object } = run;
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite();
  context.guard.assertMayWrite();
  const { metadata, ...rest } = gardenerClusterFor(object, clusterKeyOf(run).name, shootOf(run));
  const ofShard = withShardLabels(metadata.labels ?? {}, context.shardLabels);
  const wanted = { ...rest, metadata: { ...metadata, labels: ofShard } };
  try {
    return await context.client.create(gardenerClusters, wanted, context);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return adopted(run, await context.client.get(gardenerClusters, clusterKeyOf(run), context));
  }
}
