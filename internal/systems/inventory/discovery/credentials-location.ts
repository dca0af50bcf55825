import { messageOf, ProviderError, textAt } from '../../../framework/base/index.ts';
import { stringAt } from '../../../framework/base/json/json-value.ts';
import { listAll } from '../../../framework/kube/cache/cache.ts';
import { type ClusterRef, type KubeObject, keyString } from '../../../framework/kube/index.ts';
import type { AdminCredentials } from '../hana-cloud/credentials.ts';
import { describeProblems, type InputCluster } from '../input/read-input.ts';
import { type AdminCredentialsRef, readAdminCredentials } from '../instancemapping/admin-credentials.ts';
import {
  type Ref,
  readAccess,
  readClusterID,
  serviceInstances,
} from '../kymainstancemapping/inputs/inputs.ts';
import type { KymaClusters, KymaClusterUse } from '../kymainstancemapping/inputs/kyma-cluster.ts';

/** The location of credentials of the HANA Cloud administration API. */
export type CredentialsLocation =
  /** One key of a Secret on the management cluster, as in an InstanceMapping. */
  | { readonly form: 'secret'; readonly secret: AdminCredentialsRef }
  /** The Secret of a ServiceBinding, as in a KymaInstanceMapping. */
  | {
      readonly form: 'binding';
      readonly binding: Ref;
      /** Absent: the management cluster. */
      readonly cluster?: ClusterRef;
      /** The ConfigMap with that cluster's ID; absent: the BTP service operator's. */
      readonly clusterIdConfigMap?: Ref;
    };

/** What was read at a location. Kept for one discovery, never printed. */
export interface OpenedLocation {
  readonly location: CredentialsLocation;
  readonly credentials: AdminCredentials;
  /** The ID of the binding's cluster, if it could be read. */
  readonly clusterID?: string;
  /** The ServiceInstances of HANA Cloud databases on the binding's cluster, by their IDs. */
  readonly instances: ReadonlyMap<string, Ref>;
  /** What could not be read besides the credentials, one line each. */
  readonly notes: readonly string[];
}

/** `ServiceBinding shop/hana-admin`, `Secret shop/hana (key credentials)` */
export function nameOfLocation(location: CredentialsLocation): string {
  if (location.form === 'secret') return `Secret ${keyString(location.secret)} (key ${location.secret.key})`;
  const by =
    location.cluster === undefined ? '' : ` on the cluster of Secret ${keyString(location.cluster.secret)}`;
  return `ServiceBinding ${keyString(location.binding)}${by}`;
}

/** @throws if the credentials cannot be read; the error names what is missing */
export async function openLocation(
  location: CredentialsLocation,
  clusters: KymaClusters,
  signal: AbortSignal,
): Promise<OpenedLocation> {
  if (location.form === 'secret') {
    const { credentials } = await readAdminCredentials(clusters.own, location.secret, signal);
    return { location, credentials, instances: new Map(), notes: [] };
  }
  const { cluster, release } = await useCluster(location.cluster, clusters, signal);
  try {
    const [access, id, instances] = await Promise.all([
      readAccess(cluster, { adminBindingRef: location.binding }, signal),
      readClusterID(cluster, location.clusterIdConfigMap, signal),
      databasesOf(cluster, signal),
    ]);
    const { credentials } = access;
    if (credentials === undefined) throw new ProviderError('terminal', describeProblems(access.findings));
    const { clusterID } = id.part;
    return {
      location,
      credentials,
      ...(clusterID === undefined ? {} : { clusterID }),
      instances: instances.found,
      notes: [...(clusterID === undefined ? [describeProblems(id.findings)] : []), ...instances.notes],
    };
  } finally {
    release();
  }
}

async function useCluster(
  ref: ClusterRef | undefined,
  clusters: KymaClusters,
  signal: AbortSignal,
): Promise<Pick<KymaClusterUse, 'cluster' | 'release'>> {
  if (ref !== undefined) return clusters.remote.acquire(ref, signal);
  return { cluster: clusters.own, release: () => undefined };
}

const OFFERING = 'hana-cloud';
/** Plans of the offering that are not databases. */
const NO_DATABASE = ['admin-api-access', 'relational-data-lake', 'tools'];

async function databasesOf(
  { client }: Pick<InputCluster, 'client'>,
  signal: AbortSignal,
): Promise<{ readonly found: ReadonlyMap<string, Ref>; readonly notes: readonly string[] }> {
  try {
    const all = await listAll<KubeObject>(client, serviceInstances, { signal });
    return { found: new Map(all.filter(isDatabase).flatMap(placed)), notes: [] };
  } catch (error) {
    signal.throwIfAborted();
    return {
      found: new Map(),
      notes: [`${messageOf(error)}: only instances that are known otherwise are asked about`],
    };
  }
}

function isDatabase(instance: KubeObject): boolean {
  const offering = textAt(instance, 'spec', 'serviceOfferingName') ?? OFFERING;
  return offering === OFFERING && !NO_DATABASE.includes(textAt(instance, 'spec', 'servicePlanName') ?? '');
}

function placed(instance: KubeObject): [string, Ref][] {
  const id = stringAt(instance, ['status', 'instanceID']);
  const { name, namespace = '' } = instance.metadata;
  return id.state === 'ok' && id.value !== '' ? [[id.value, { name, namespace }]] : [];
}
