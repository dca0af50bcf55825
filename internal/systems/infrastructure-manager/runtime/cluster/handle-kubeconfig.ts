import type { Shoot } from '../../../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { messageOf, ProviderError } from '../../../../framework/base/errors/errors.ts';
import { pollAfter } from '../../../../framework/controller/index.ts';
import { isAlreadyExists, keyString, wasDeleted } from '../../../../framework/kube/index.ts';
import { refusalOf } from '../../gardener/refusal.ts';
import { gardenerClusterFor } from '../../gardenercluster/gardener-cluster-for.ts';
import { runtimeRecord } from '../../gardenercluster/metadata.ts';
import { labels } from '../../labels.ts';
import { runtimeIdOf } from '../metadata.ts';
import { clusterOwnership, isClusterPermitted } from '../ownership/cluster-ownership.ts';
import { runtimeOwner } from '../ownership/runtime-owner.ts';
import type { RuntimeRun } from '../run.ts';
import { messages } from '../status/messages.ts';
import { conditionTypes, reasons } from '../status/reasons.ts';
import { end, next, type Step } from '../step.ts';

/** Safety net beside the watch of GardenerClusters, in ms. */
const POLL_MS = 60_000;

const { kubeconfigReady: type } = conditionTypes;

/** Creates the GardenerCluster, and waits until its Secret has a kubeconfig. Stores the conditions of the states before it, too. */
export async function handleKubeconfig(run: RuntimeRun): Promise<Step> {
  let found: GardenerCluster;
  try {
    found = (await knownGardenerCluster(run)) ?? (await create(run));
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== 'refused' && refusal !== 'forbidden' && !(error instanceof MismatchError)) {
      await run.status.store();
      throw error;
    }
    run.status.failed({ type, reason: reasons.kubernetesError, message: messageOf(error) });
    await run.status.store();
    return end(pollAfter(POLL_MS));
  }
  if (wasDeleted(found) || found.status?.state !== 'Ready') return waitFor(run, found);
  if (run.status.condition(type)?.status !== 'True')
    set(run, {
      reason: reasons.gardenerClusterReady,
      status: 'True',
      message: messages.gardenerClusterReady,
    });
  await run.status.store();
  return next('CreateKymaNamespace');
}

/** A Ready Runtime stays Ready: its kubeconfig is valid for hours when the next one is due. */
function set(
  { object, status }: RuntimeRun,
  condition: Omit<Parameters<RuntimeRun['status']['pending']>[0], 'type'>,
) {
  if (object.status?.state === 'Ready') status.keepState({ type, ...condition });
  else status.pending({ type, ...condition });
}

/** Shows the cause in the Runtime too: users need not read the GardenerCluster. */
async function waitFor(run: RuntimeRun, { status }: GardenerCluster): Promise<Step> {
  const [condition] = status?.conditions ?? [];
  const cause = condition?.status === 'False' ? `: ${condition.message}` : '';
  const message = `${messages.gardenerClusterCreated}${cause}`;
  set(run, { reason: reasons.gardenerClusterCreated, status: 'Unknown', message });
  await run.status.store();
  return end(pollAfter(POLL_MS));
}

class MismatchError extends ProviderError {
  constructor(message: string) {
    super('terminal', message);
  }
}

function keyOf({ object }: RuntimeRun) {
  const name = runtimeIdOf(object);
  if (name === undefined) throw new MismatchError(`missing required label ${labels.runtimeId}`);
  return { namespace: object.metadata.namespace, name };
}

/** Undefined: the informer does not have it. Whether there is none, its create says. */
async function knownGardenerCluster(run: RuntimeRun): Promise<GardenerCluster | undefined> {
  const cached = run.context.informers.of(gardenerClusters).get(keyString(keyOf(run)));
  return cached === undefined ? undefined : adopted(run, cached);
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
  const isFollowing = Object.entries(wanted.labels ?? {}).every(([label, value]) => own[label] === value);
  if (ownership.state !== 'abandoned' && isFollowing) return found;
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite();
  context.guard.assertMayWrite();
  const metadata = {
    ...found.metadata,
    labels: { ...own, ...wanted.labels },
    annotations: { ...annotations, ...runtimeRecord(runtimeOwner(object), found.metadata) },
  };
  return context.client.update(gardenerClusters, { ...found, metadata }, context);
}

function shootOf({ shoot }: RuntimeRun): Shoot {
  if (shoot === undefined) throw new ProviderError('bug', 'a kubeconfig without a Shoot');
  return shoot;
}

async function create(run: RuntimeRun): Promise<GardenerCluster> {
  const { context, object } = run;
  await context.guard.acquireOwnership();
  await context.guard.beforeWrite();
  context.guard.assertMayWrite();
  const wanted = gardenerClusterFor(object, keyOf(run).name, shootOf(run));
  try {
    return await context.client.create(gardenerClusters, wanted, context);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return adopted(run, await context.client.get(gardenerClusters, keyOf(run), context));
  }
}
