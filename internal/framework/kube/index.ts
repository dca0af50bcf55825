/**
 * `provider-kyma/kube`: access to Kubernetes API servers. A client from address and credentials of a cluster, informers,
 * object watchers, and a pool of remote clusters from kubeconfig Secrets. Objects are plain JSON.
 */

export type { JsonPatchOperation } from './apply/patches.ts';
export type { CacheEvent, CacheProblem, ClusterInfo, ObjectCache } from './cache/cache.ts';
export type { Informer } from './cache/informer.ts';
export { type Informers, readable, type SharedInformerOptions } from './cache/informers.ts';
export {
  dropBookkeeping,
  dropManagedFields,
  isPartial,
  keepMarks,
  keepSmallMetadata,
  keepSmallParts,
} from './cache/transform.ts';
export { ownUserOf } from './client/access-review.ts';
export {
  type ApplyOptions,
  type CallOptions,
  type DeleteOptions,
  type GroupVersion,
  getIfExists,
  type KubeClient,
  type ListOptions,
  type Page,
  type PartialObject,
  type Selection,
  type ServedResource,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from './client/client.ts';
export type { ClusterLimits, Trust } from './client/cluster-limits.ts';
export { isServed } from './client/discovery.ts';
export { createKubeClient, type RestClient, type RestClientOptions } from './client/rest-client.ts';
export {
  createSharedReads,
  type ObjectVersion,
  type PolledReads,
  type SharedReads,
  type SharedReadsOptions,
} from './client/shared-reads.ts';
export {
  type Cluster,
  type ClusterOptions,
  type ClusterSettings,
  type ConnectCluster,
  createCluster,
} from './cluster/cluster.ts';
export {
  type CallOutcome,
  type ClusterPool,
  type ClusterPoolOptions,
  type ClusterRef,
  type ClusterUse,
  createClusterPool,
  type InformedOfSecret,
} from './cluster/cluster-pool.ts';
export type { ClusterConfig, Credentials } from './config/cluster-config.ts';
export { type LoadClusterConfigOptions, loadClusterConfig } from './config/load-cluster-config.ts';
export { parseUntrustedKubeconfig } from './config/untrusted-kubeconfig.ts';
export {
  type ApiStatus,
  type Attempt,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isNotFound,
  isPatchRefused,
  isServerError,
  isTimedOut,
  isTooLarge,
  isUnauthorized,
  isUnknownKind,
  isUnreachable,
  KubeApiError,
  type Refusal,
  type StatusCause,
  type StatusDetails,
  UnreachableError,
  type UnreachableOptions,
  undefinedIfExists,
} from './errors/errors.ts';
export {
  createEventBroadcaster,
  type EventBroadcaster,
  type EventBroadcasterOptions,
  type EventRecorder,
} from './events/event-broadcaster.ts';
export { createLeaderElector, type LeaderElectionOptions } from './leader-election.ts';
export {
  type Condition,
  findCondition,
  type StatedCondition,
  withCondition,
  withoutCondition,
} from './object/condition.ts';
export type { EventType } from './object/core-event.ts';
export {
  type ConfigMap,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  impossibleKey,
  type KubeObject,
  keyOf,
  keyString,
  type Lease,
  notFoundText,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  type Secret,
  wasDeleted,
} from './object/object.ts';
export { asController, assertControllable, controllerOf } from './object/ownership.ts';
export {
  apiVersionOf,
  configMaps,
  customResourceDefinitions,
  groupResource,
  namespaces,
  type ResourceType,
  secrets,
} from './object/resource-type.ts';
export { decodedData } from './object/secret-data.ts';
export {
  createTransport,
  type OpenResponse,
  type Transport,
  type TransportOptions,
  type TransportRequest,
  type TransportResponse,
} from './transport/transport.ts';
export {
  createObjectWatcher,
  type ObjectWatcher,
  type ObjectWatcherOptions,
  type ObjectWatchOptions,
} from './watched-objects/object-watcher.ts';
export type { ObjectWatch } from './watched-objects/shared-watch.ts';
export type { ReadVersion } from './watched-objects/watched-versions.ts';
