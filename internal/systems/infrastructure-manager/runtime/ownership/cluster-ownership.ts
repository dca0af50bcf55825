import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { getIfExists } from '../../../../framework/kube/client/get-if-exists.ts';
import {
  isPermitted,
  type OwnedAction,
  type Ownership,
  type OwnershipRule,
  ownershipOf,
} from '../../../../framework/ownership/ownership.ts';
import { recordedRuntime } from '../../gardenercluster/metadata.ts';
import { annotationRuntimeId } from '../../shoot-metadata.ts';
import { runtimeIdOf } from '../metadata.ts';
import { type RuntimeRun, shootNameOf } from '../run.ts';
import { isRuntimeGone, runtimeOwner } from './runtime-owner.ts';

/** One without a record is of the Kyma infrastructure manager: it belongs to the owner of the Shoot that it names. */
const OF_ITS_SHOOT: OwnershipRule = {
  unrecorded: ['adopt', 'update', 'delete'],
  abandoned: ['adopt', 'update', 'delete'],
};
const OF_ANOTHER_SHOOT: OwnershipRule = { unrecorded: [], abandoned: [] };

/** Whose a GardenerCluster is: its record, an annotation, has the uid of its Runtime. */
export const clusterOwnership = (run: RuntimeRun, found: GardenerCluster): Promise<Ownership> =>
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
export function isClusterPermitted(
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
