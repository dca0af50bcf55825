/**
 * `provider-kyma/kube`: speaking Kubernetes. A cluster's address and credentials make a client; informers and
 * notifiers follow what is there; a pool keeps the remote clusters that Secrets lead to. Objects are plain JSON.
 */

export type { JsonPatchOperation } from './apply/json-patch.ts';
export type { CacheEvent, CacheProblem, ObjectCache } from './cache/cache.ts';
export {
  createInformer,
  createMetadataInformer,
  type Informer,
  type InformerOptions,
} from './cache/informer.ts';
export { createInformers, type Informers, type SharedInformerOptions } from './cache/informers.ts';
export { dropBookkeeping, dropManagedFields } from './cache/ingest.ts';
export type { SeenVersion } from './cache/observed-versions.ts';
export type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  KubeClient,
  ListOptions,
  Page,
  PartialObject,
  Selection,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './client/client.ts';
export { createKubeClient, type RestClient, type RestClientOptions } from './client/rest-client.ts';
export { createSharedReads, type SharedReads, type SharedReadsOptions } from './client/shared-reads.ts';
export {
  type ClusterLease,
  type ClusterPool,
  type ClusterPoolOptions,
  type ClusterRef,
  type ConnectionLimits,
  createClusterPool,
  type Heard,
} from './clusters/cluster-pool.ts';
export type { ClusterConfig, Credentials } from './config/cluster-config.ts';
export { type LoadClusterConfigOptions, loadClusterConfig } from './config/load-cluster-config.ts';
export { parseUntrustedKubeconfig } from './config/untrusted-kubeconfig.ts';
export type { ApiStatus, StatusCause, StatusDetails } from './errors/api-status.ts';
export {
  type Attempt,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isNotFound,
  isPatchRefused,
  isServerError,
  isSilent,
  isUnauthorized,
  isUnknownKind,
  isUnreachable,
  KubeApiError,
  type Refusal,
  UnreachableError,
} from './errors/errors.ts';
export {
  createEventBroadcaster,
  type EventBroadcaster,
  type EventBroadcasterOptions,
} from './events/event-broadcaster.ts';
export type { EventRecorder } from './events/event-recorder.ts';
export type { EventType } from './object/core-event.ts';
export {
  type ConfigMap,
  type CustomResourceDefinition,
  type CustomResourceDefinitionVersion,
  type KubeObject,
  keyOf,
  keyString,
  type Lease,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  type Secret,
} from './object/object.ts';
export {
  apiVersionOf,
  configMaps,
  customResourceDefinitions,
  groupResource,
  namespaces,
  type ResourceType,
  secrets,
} from './object/resource-type.ts';
export {
  createTransport,
  type OpenAnswer,
  type Transport,
  type TransportAnswer,
  type TransportOptions,
  type TransportRequest,
} from './transport/transport.ts';
export type { Observation } from './watched-objects/notifier-channel.ts';
export {
  createObjectNotifier,
  type ObjectNotifier,
  type ObjectNotifierOptions,
  type ObserveOptions,
} from './watched-objects/object-notifier.ts';
