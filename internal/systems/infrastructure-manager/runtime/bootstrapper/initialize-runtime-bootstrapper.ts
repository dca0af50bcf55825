import { jsonEqual, ProviderError } from '../../../../framework/base/index.ts';
import { requeue, requeueAfter } from '../../../../framework/controller/index.ts';
import { ownedFields } from '../../../../framework/kube/apply/owned-fields.ts';
import { typeOfKind } from '../../../../framework/kube/client/discovery.ts';
import {
  getIfExists,
  type KubeObject,
  keyOf,
  keyString,
  type ObjectKey,
  type ResourceType,
} from '../../../../framework/kube/index.ts';
import { clusterFailed, type RuntimeClusterUse, useRuntimeCluster } from '../cluster/runtime-cluster.ts';
import { messages } from '../messages.ts';
import { type ObjectOwnership, objectOwnershipOf } from '../ownership.ts';
import { type End, end, next, type RuntimeRun, type StepOf } from '../run.ts';
import { conditionTypes, type Reason, reasons } from '../status.ts';
import type { Bootstrapper, WantedObject } from './bootstrapper.ts';
import { type Deployment, deployments, isOutdated, type Manifests, placed } from './manifests.ts';

/** Until pods of the bootstrapper are looked at again, in ms. */
const POLL_MS = 30_000;

const { runtimeBootstrapperReady: type } = conditionTypes;
const { runtimeBootstrapperInstallationFailed: installationFailed } = reasons;

/** Installs the runtime bootstrapper in the cluster with its configuration, if it is enabled, and waits until it works. */
export async function initializeRuntimeBootstrapper(
  run: RuntimeRun,
): Promise<StepOf<'InitializeRuntimeBootstrapper'>> {
  const { bootstrapper } = run;
  if (bootstrapper === undefined) return next('CleanupRegistryCacheGardenSecrets');
  let state: InstallationState;
  let manifests: Manifests;
  try {
    const copies = bootstrapper.copies();
    await useBootstrapped(run, (cluster) => copyObjects(cluster, copies));
  } catch (error) {
    return failed(
      run,
      error,
      reasons.runtimeBootstrapperConfigurationFailed,
      messages.bootstrapperNotConfigured,
    );
  }
  try {
    manifests = bootstrapper.manifests();
    state = await stateOf(run, bootstrapper, manifests);
  } catch (error) {
    return failed(run, error, reasons.runtimeBootstrapperStatusUnknown, messages.bootstrapperUnknown);
  }
  switch (state) {
    case 'missing':
    case 'outdated':
      return install(run, state, manifests);
    case 'progressing':
      return waitFor(run, reasons.runtimeBootstrapperInstallationInProgress, messages.bootstrapperInstalling);
    case 'failed':
      return giveUp(run);
    case 'ready':
      // Stored together with the result of a later state.
      run.status.keepState({
        type,
        reason: reasons.runtimeBootstrapperConfigured,
        status: 'True',
        message: messages.bootstrapperInstalled,
      });
      return next('CleanupRegistryCacheGardenSecrets');
    default:
      return state satisfies never;
  }
}

const useBootstrapped = (run: RuntimeRun, use: (cluster: BootstrappedCluster) => Promise<void>) =>
  useRuntimeCluster(run, (cluster) => use({ ...cluster, ownership: objectOwnershipOf(run) }));

const stateOf = (run: RuntimeRun, { deployment }: Bootstrapper, manifests: Manifests) =>
  useRuntimeCluster(run, (cluster) => installationState(cluster, deployment, manifests));

const failed = (run: RuntimeRun, error: unknown, reason: Reason, message: string): Promise<End> =>
  clusterFailed(run, error, { type, reason, message, isFalse: true });

async function install(run: RuntimeRun, state: 'missing' | 'outdated', manifests: Manifests): Promise<End> {
  const isNew = state === 'missing';
  try {
    await useBootstrapped(run, (cluster) => applyManifests(cluster, manifests));
  } catch (error) {
    return isNew
      ? failed(run, error, installationFailed, messages.bootstrapperFailed)
      : failed(run, error, reasons.runtimeBootstrapperUpgradeFailed, messages.bootstrapperUpgradeFailed);
  }
  return isNew
    ? waitFor(run, reasons.runtimeBootstrapperInstallationInProgress, messages.bootstrapperInstalling)
    : waitFor(run, reasons.runtimeBootstrapperUpgradeInProgress, messages.bootstrapperUpgrading);
}

/** A Ready Runtime stays Ready while its bootstrapper is replaced. */
async function waitFor({ object, status }: RuntimeRun, reason: Reason, message: string): Promise<End> {
  const stated = { type, reason, status: 'False', message } as const;
  if (object.status?.state === 'Ready') status.keepState(stated);
  else status.pending(stated);
  await status.store();
  return end(requeueAfter(POLL_MS));
}

/** The same for one whose pods fail: a Ready Runtime stays Ready, any other one has failed. */
async function giveUp({ object, status }: RuntimeRun): Promise<End> {
  const stated = { type, reason: installationFailed, message: messages.bootstrapperFailed };
  if (object.status?.state === 'Ready') status.keepState({ ...stated, status: 'False' });
  else status.failed(stated);
  await status.store();
  return end(requeue);
}

const FIELD_MANAGER = 'kim-bootstrapper';

/** What the bootstrapper does in a cluster. */
interface BootstrappedCluster extends RuntimeClusterUse {
  readonly ownership: ObjectOwnership;
}

/** Makes the copies in the cluster those that are wanted. One that has their content already is not written. */
export async function copyObjects(
  cluster: BootstrappedCluster,
  wanted: readonly WantedObject[],
): Promise<void> {
  for (const { type, object } of wanted) {
    const live = await getIfExists(cluster.client, type, keyOf(object), cluster);
    if (live === undefined || !hasContent(live, object)) await apply(cluster, type, object, live);
  }
}

/** Others may have added keys of their own. */
function hasContent(live: KubeObject, { apiVersion: _, kind, metadata, ...content }: KubeObject): boolean {
  const contentIn = (object: object) =>
    Object.fromEntries(Object.entries(object).filter(([member]) => member in content));
  return (
    jsonEqual(contentIn(live), content) || jsonEqual(contentIn(ownedFields(live, FIELD_MANAGER)), content)
  );
}

/**
 * - `missing`      its Deployment is not there
 * - `outdated`     its Deployment is of other manifests
 * - `progressing`  its pods are being started
 * - `failed`       they did not become ready within the time that the Deployment gives them
 */
type InstallationState = 'missing' | 'outdated' | 'progressing' | 'failed' | 'ready';

export async function installationState(
  { client, signal }: Pick<RuntimeClusterUse, 'client' | 'signal'>,
  key: ObjectKey,
  manifests: Manifests,
): Promise<InstallationState> {
  const live = await getIfExists(client, deployments, key, { signal });
  if (live === undefined) return 'missing';
  return isOutdated(live, manifests) ? 'outdated' : rolloutState(live);
}

function rolloutState({ metadata, spec, status = {} }: Deployment): InstallationState {
  const { observedGeneration = 0, readyReplicas = 0, updatedReplicas = 0, conditions = [] } = status;
  // The status of an earlier version says nothing.
  if (observedGeneration < (metadata.generation ?? 0)) return 'progressing';
  const has = (type: string, value: string) =>
    conditions.some((condition) => condition.type === type && condition.status === value);
  const replicas = spec?.replicas ?? 1;
  if (Math.min(readyReplicas, updatedReplicas) >= replicas && has('Available', 'True')) return 'ready';
  return has('Progressing', 'False') ? 'failed' : 'progressing';
}

/** Applies all objects; the Deployment last, so that what fails is repeated. */
export async function applyManifests(
  cluster: BootstrappedCluster,
  { objects, deployment }: Manifests,
): Promise<void> {
  const types = new Map<string, ResourceType>();
  for (const object of [...objects, deployment]) {
    const { apiVersion, kind } = object;
    const [version = '', group = ''] = apiVersion.split('/').reverse();
    const name = `${apiVersion} ${kind}`;
    const type = types.get(name) ?? (await typeOfKind(cluster.client, { group, version, kind }, cluster));
    // Its CRD may be one of the objects before.
    if (type === undefined)
      throw new ProviderError('transient', `${cluster.client.clusterName} does not serve ${name}`);
    types.set(name, type);
    const wanted = placed(object, type.namespaced);
    await apply(cluster, type, wanted, await getIfExists(cluster.client, type, keyOf(wanted), cluster));
  }
}

/** One that another Runtime has made stays. So does one that was created anew since it was read. */
async function apply(
  { client, signal, assertMayWrite, ownership }: BootstrappedCluster,
  type: ResourceType,
  object: KubeObject,
  live: KubeObject | undefined,
): Promise<void> {
  const key = keyOf(object);
  if (live !== undefined && (await ownership.ownOf([live])).length === 0)
    throw new ProviderError('contested', `${type.kind} ${keyString(key)} of the runtime is of others`);
  const { metadata } = object;
  const recorded = {
    ...metadata,
    annotations: { ...metadata.annotations, ...ownership.recordOf(key) },
    ...(live?.metadata.uid === undefined ? {} : { uid: live.metadata.uid }),
  };
  assertMayWrite();
  await client.apply(
    type,
    { ...object, metadata: recorded },
    { fieldManager: FIELD_MANAGER, force: true, signal },
  );
}
