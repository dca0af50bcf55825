import { jsonEqual, ProviderError } from '../../../../framework/base/index.ts';

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
import type { RuntimeClusterUse } from '../cluster/runtime-cluster.ts';
import type { ObjectOwnership } from '../ownership.ts';
import type { WantedObject } from './bootstrapper.ts';
import { type Deployment, deployments } from './kinds.ts';
import { isOutdated, type Manifests, placed } from './manifests.ts';

const FIELD_MANAGER = 'kim-bootstrapper';

/** What the bootstrapper does in a cluster. */
export interface BootstrappedCluster extends RuntimeClusterUse {
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
export type InstallationState = 'missing' | 'outdated' | 'progressing' | 'failed' | 'ready';

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
