import { createHash } from 'node:crypto';
import type { KymaCluster } from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import {
  type JsonLimits,
  jsonEqual,
  ProviderError,
  parseBoundedJson,
} from '../../../framework/base/index.ts';
import { JsonLimitError } from '../../../framework/base/json/json-text.ts';
import { recordedExternalName } from '../../../framework/managed/index.ts';
import { type Owner, ownerRecord, readOwnerRecord } from '../../../framework/ownership/ownership.ts';
import type { ClusterDocument, ClusterState } from '../client/mothership-client.ts';
import { invalidValueText, largeValueText } from './messages.ts';

type Component = NonNullable<KymaCluster['spec']['forProvider']['components']>[number];

/** Fields of the metadata, each a text. */
const METADATA = [
  'globalAccountID',
  'subAccountID',
  'serviceID',
  'servicePlanID',
  'servicePlanName',
  'shootName',
  'instanceID',
  'region',
] as const;

/** Statuses in which the mothership changes the cluster by itself. */
const IN_PROGRESS = new Set([
  'reconcile_pending',
  'reconciling',
  'reconcile_error_retryable',
  'delete_pending',
  'deleting',
  'delete_error_retryable',
]);

export const isInProgress = (status: string | undefined): boolean => IN_PROGRESS.has(status ?? '');

/** Whether the mothership deletes the cluster, now or soon. */
export const isBeingDeleted = (status: string): boolean =>
  status === 'delete_pending' || status === 'deleting' || status === 'delete_error_retryable';

/** The id in the inventory: the recorded one, that of the spec, or the UID. */
export function runtimeIDOf(resource: KymaCluster): string {
  const id = recordedExternalName(resource) ?? resource.spec.forProvider.runtimeID ?? resource.metadata.uid;
  if (id !== undefined) return id;
  throw new ProviderError('bug', 'a stored object has a UID');
}

/** What names of clusters begin with in the inventory, by which it is known whose they are. */
const ownerPrefix = ({ metadata: { namespace } }: KymaCluster): string =>
  namespace === undefined ? '' : `${namespace}/`;

/**
 * Whoever may write KymaClusters of one namespace must not get hold of the clusters of others by their ids. Objects of the cluster
 * scope belong to administrators, who may import any cluster.
 */
export const isForeign = (resource: KymaCluster, { cluster }: ClusterState): boolean =>
  !cluster.runtime.name.startsWith(ownerPrefix(resource));

/** Before the record of the owner in the description of a cluster. */
const RECORD = 'KymaCluster ';

/** The object as the owner of the cluster that it registers. */
export const ownerOf = ({ metadata: { namespace, name, uid } }: KymaCluster): Owner => ({
  kind: 'KymaCluster',
  ...{ namespace, name, uid },
});

/** Who registered the cluster; undefined: clients of the REST API, or an earlier version of this program. */
export function recordedOwner({ cluster }: ClusterState): Owner | undefined {
  const { description } = cluster.runtime;
  if (typeof description !== 'string' || !description.startsWith(RECORD)) return undefined;
  return readOwnerRecord('KymaCluster', description.slice(RECORD.length));
}

/** What is registered. @param kubeconfig undefined: the mothership reads it from a Secret of its own */
export function documentOf(resource: KymaCluster, kubeconfig: string | undefined): ClusterDocument {
  const { name = resource.metadata.name, version, profile = '', ...spec } = resource.spec.forProvider;
  return {
    runtimeID: runtimeIDOf(resource),
    runtimeInput: {
      name: `${ownerPrefix(resource)}${name}`,
      description: `${RECORD}${ownerRecord(ownerOf(resource))}`,
      ...(resource.metadata.namespace === undefined ? {} : { namespace: resource.metadata.namespace }),
    },
    kymaConfig: {
      version,
      profile,
      administrators: spec.administrators ?? [],
      components: (spec.components ?? []).map(componentOf),
    },
    metadata: metadataOf(spec.metadata),
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
  };
}

const metadataOf = (given: Readonly<Record<string, string | undefined>> = {}) =>
  Object.fromEntries(METADATA.map((field) => [field, given[field] ?? '']));

function componentOf({ component, namespace, version, url, configuration = [] }: Component) {
  return {
    component,
    namespace: namespace ?? 'kyma-system',
    version: version ?? '',
    URL: url ?? '',
    configuration: configuration.map(({ key, value, format }) => ({
      key,
      value: format === 'JSON' ? jsonOf(component, key, value) : value,
      secret: false,
    })),
  };
}

/** A mothership takes no registration with more. */
const VALUE_LIMITS: JsonLimits = { maxLength: 100_000, maxDepth: 56 };

function jsonOf(component: string, key: string, text: string): unknown {
  try {
    return parseBoundedJson(text, VALUE_LIMITS);
  } catch (error) {
    const why =
      error instanceof JsonLimitError
        ? largeValueText(key, component, error.message)
        : invalidValueText(key, component);
    throw new ProviderError('terminal', why);
  }
}

/** The fields in which the inventory differs from the document; undefined: in none. */
export function differenceOf(
  document: ClusterDocument,
  { cluster, configuration }: ClusterState,
): string | undefined {
  const { kymaConfig } = document;
  const pairs: Readonly<Record<string, readonly [unknown, unknown]>> = {
    version: [kymaConfig.version, configuration.kymaVersion],
    profile: [kymaConfig.profile, configuration.kymaProfile],
    components: [kymaConfig.components, configuration.components],
    administrators: [kymaConfig.administrators, configuration.administrators],
    name: [document.runtimeInput?.name, cluster.runtime.name],
    metadata: [document.metadata, cluster.metadata],
  };
  const different = Object.entries(pairs).filter(([, [wanted, found]]) => !jsonEqual(wanted, found));
  return different.length === 0 ? undefined : different.map(([field]) => field).join(', ');
}

/** Shows a changed kubeconfig without telling what is in it. */
export const digestOf = (kubeconfig: string): string =>
  createHash('sha256').update(kubeconfig).digest('hex').slice(0, 32);
