/**
 * `provider-kyma/kube`: speaking Kubernetes. A cluster's address and credentials make a client; informers and
 * notifiers follow what is there; a pool keeps the remote clusters that Secrets lead to. Objects are plain JSON.
 */
export type { ApiStatus, StatusCause, StatusDetails } from './api-status.ts';
export type { CacheEvent, CacheProblem, ObjectCache } from './cache.ts';
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
} from './client.ts';
export type { ClusterConfig, Credentials } from './cluster-config.ts';
export {
  type ClusterLease,
  type ClusterPool,
  type ClusterPoolOptions,
  type ClusterRef,
  type ConnectionLimits,
  createClusterPool,
  type Heard,
} from './cluster-pool.ts';
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
} from './errors.ts';
export {
  createEventBroadcaster,
  type EventBroadcaster,
  type EventBroadcasterOptions,
} from './event-broadcaster.ts';
export type { EventRecorder, EventType } from './event-recorder.ts';
export { createInformer, createMetadataInformer, type Informer, type InformerOptions } from './informer.ts';
export { createInformers, type Informers, type SharedInformerOptions } from './informers.ts';
export { dropBookkeeping, dropManagedFields } from './ingest.ts';
export type { JsonPatchOperation } from './json-patch.ts';
export { type LoadClusterConfigOptions, loadClusterConfig } from './load-cluster-config.ts';
export type { Observation } from './notifier-channel.ts';
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
} from './object.ts';
export {
  createObjectNotifier,
  type ObjectNotifier,
  type ObjectNotifierOptions,
  type ObserveOptions,
} from './object-notifier.ts';
export type { SeenVersion } from './observed-versions.ts';
export {
  apiVersionOf,
  configMaps,
  customResourceDefinitions,
  groupResource,
  namespaces,
  type ResourceType,
  secrets,
} from './resource-type.ts';
export { createKubeClient, type RestClient, type RestClientOptions } from './rest-client.ts';
export { createSharedReads, type SharedReads, type SharedReadsOptions } from './shared-reads.ts';
export {
  createTransport,
  type OpenAnswer,
  type Transport,
  type TransportAnswer,
  type TransportOptions,
  type TransportRequest,
} from './transport.ts';
export { parseUntrustedKubeconfig } from './untrusted-kubeconfig.ts';
