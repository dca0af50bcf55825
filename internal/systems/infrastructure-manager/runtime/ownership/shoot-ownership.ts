/**
 * Whose a Shoot is. The record is its annotation `runtime-id`, which has no uid. Whose that ID is say, in this order:
 *
 * 1. the GardenerCluster of that ID, if it is of this Shoot: it records the uid of its Runtime
 * 2. the oldest Runtime with that ID that names this Shoot
 * 3. this Runtime, if it managed a Shoot before: then its ID was changed
 */
import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import type { Runtime } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { keyString } from '../../../../framework/kube/index.ts';
import {
  isPermitted,
  type OwnedAction,
  type Owner,
  type Ownership,
  type OwnershipRule,
  ownershipOf,
  ownershipText,
} from '../../../../framework/ownership/ownership.ts';
import { namespaceOf, shootKey } from '../../gardener/gardener.ts';
import { recordedRuntime } from '../../gardenercluster/metadata.ts';
import { annotationRuntimeId } from '../../shoot-metadata.ts';
import { runtimeIdOf } from '../metadata.ts';
import { type RuntimeRun, shootNameOf } from '../run.ts';
import { conditionTypes, type Reason, reasons } from '../status/reasons.ts';
import { isRuntimeGone, runtimeOwner } from './runtime-owner.ts';

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
  const oldest = named.find((runtime) => runtimeIdOf(runtime) === id);
  if (oldest !== undefined) return ownerOf(oldest, own);
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
