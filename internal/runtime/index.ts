/**
 * `provider-kyma/runtime`: the framework. A kind is a schema, a connector and an external client; `createProvider`
 * runs kinds. The README beside this file teaches the model.
 */

export { type Controller, type ControllerOptions, createController } from './controller/controller.ts';
export { createKeyStore, type KeyedValues, type KeyStore } from './controller/key-store.ts';
export { createObjectIndex, indexed, type ObjectIndex } from './controller/object-index.ts';
export { type AddOptions, LOW_PRIORITY, POLL_PRIORITY } from './controller/queue/work-queue.ts';
export {
  done,
  gone,
  highPriorityRequest,
  pollAfter,
  type Reconcile,
  type ReconcileRequest,
  type ReconcileResult,
  requeue,
  requeueAfter,
  requeueInProgress,
} from './controller/reconcile-result.ts';
export {
  type Channel,
  channel,
  type Enqueue,
  type EnqueueOptions,
  type MapFunction,
  type MappedOptions,
  mapped,
  ofType,
  ownedBy,
  type Predicate,
  type Source,
} from './controller/source.ts';
export type { WatchTriggers } from './controller/watch-triggers.ts';
export type { GatedKind, KindRun, RunCondition } from './gate/gated-kind.ts';
export type { ConnectionDetails, ConnectionPublisher } from './managed/connection/connection-publisher.ts';
export type {
  Connector,
  ExternalClient,
  ExternalFields,
  Observation,
  ReconcileContext,
  Result,
} from './managed/kind/external-client.ts';
export { identityTags } from './managed/kind/identity-tags.ts';
export {
  controllerName,
  type Initializer,
  type ManagedKind,
  nameAsExternalName,
  type StoreChanges,
} from './managed/kind/managed-kind.ts';
export {
  type ManagementAction,
  type Policies,
  type PolicyOptions,
  resolvePolicies,
  supportedPolicySets,
} from './managed/kind/policies.ts';
export {
  inGroups,
  jitterFraction,
  jitterSpan,
  type PollIntervalHook,
  pollOffsetOf,
} from './managed/kind/poll.ts';
export { createManagedController, type ManagedControllerOptions } from './managed/managed-controller.ts';
export { createManagedReconciler } from './managed/reconciler.ts';
export type { ManagedReconcilerOptions } from './managed/reconciliations.ts';
export type {
  ManyField,
  OneField,
  Reference,
  ReferencePolicy,
  ReferenceTarget,
  ResolvedMany,
  ResolvedOne,
  Selector,
} from './managed/references/reference.ts';
export type { ReferenceResolver } from './managed/references/reference-resolver.ts';
export { failureMessage } from './managed/steps/messages/failures.ts';
export type { HealthCheck } from './manager/health.ts';
export { createLeaderElector, type LeaderElectionOptions } from './manager/leader-election.ts';
export {
  type AddControllerOptions,
  createManager,
  type LeaderElector,
  type Manager,
  type ManagerOptions,
} from './manager/manager.ts';
export { type Runnable, type Stop, startAndStop, untilAborted } from './manager/runnable.ts';
export { openChangeLog, openTraces } from './provider/on-demand.ts';
export {
  createProvider,
  type KindUse,
  type Provider,
  type ProviderOptions,
  type ProviderSettings,
} from './provider/provider.ts';
export type { ConfigCall, ConfigUse, Connection } from './providerconfig/config-use.ts';
export {
  type CredentialAccess,
  type CredentialHandler,
  type CredentialSelectors,
  extractCredentials,
} from './providerconfig/credentials.ts';
export {
  type ConfigKinds,
  type ConfigRef,
  configTypes,
  type ProviderConfig,
  type ProviderConfigUsage,
  type UsedConfig,
} from './providerconfig/model/provider-config.ts';
export { usedConfigOf } from './providerconfig/model/used-config.ts';
export {
  createProviderConfigs,
  type ProviderConfigs,
  type ProviderConfigsOptions,
} from './providerconfig/provider-configs.ts';
export {
  changedByUsers,
  type ReconciledKind,
  type ReconciledKindOptions,
  type Reconciler,
  type ReconcilerContext,
  type ReconcilerMemory,
  reconciledKind,
} from './reconciled-kind.ts';
export {
  available,
  type Conditioned,
  creating,
  deleting,
  differsFromStored,
  dropCondition,
  getCondition,
  type NewCondition,
  reasonWaiting,
  setConditions,
  typeReady,
  typeSynced,
  typeUpToDate,
  unavailable,
} from './resource/conditions.ts';
export type { Condition, Managed, ManagedSpec, ManagedStatus } from './resource/managed.ts';
export {
  annotationCreatePending,
  annotationExternalName,
  annotationOf,
  annotationPaused,
  annotationPollInterval,
  annotationReconcileRequestedAt,
  createIncomplete,
  externalNameFrom,
  hasCreateIntent,
  setAnnotation,
  setCreateFailed,
  setCreateIntent,
  setCreatePending,
  setCreateSucceeded,
  setExternalName,
  wasDeleted,
} from './resource/meta.ts';
export { asController, assertControllable, controllerOf } from './resource/ownership.ts';
export {
  createShardOwnership,
  type Ownership,
  type ShardOwnership,
  type ShardOwnershipOptions,
} from './sharding/shard-ownership.ts';
export { type CriticalAnnotationsOptions, storeCriticalAnnotations } from './steps/critical-annotations.ts';
export {
  foreignFinalizers,
  hasFinalizer,
  managedFinalizer,
  removeFinalizer,
  stageFinalizer,
  storeFinalizer,
} from './steps/finalizer.ts';
export { createObjectEvents, type ObjectEvents, type ObjectEventsOptions } from './steps/object-events.ts';
export { requeueOnConflict } from './steps/requeue.ts';
export {
  createWorkingCopy,
  type OnWritten,
  type WithStatus,
  type WorkingCopy,
  type WorkingCopyOptions,
} from './steps/working-copy.ts';
export {
  createWriteGuard,
  type ExternalWrite,
  type WriteGuard,
  type WriteGuardOptions,
} from './steps/write-guard.ts';
export type { ChangeEntry, Operation } from './telemetry/changelog/change-entry.ts';
export type { ChangeLog, ChangeLogOptions } from './telemetry/changelog/change-log.ts';
export { createLogger, type LogOptions } from './telemetry/json-logger.ts';
export {
  createPrometheusMetrics,
  type MetricsPage,
  type PrometheusOptions,
} from './telemetry/metrics/prometheus.ts';
export { type StateMetricsOptions, startStateMetrics } from './telemetry/metrics/state-metrics.ts';
export type { Traces } from './telemetry/tracing/open-traces.ts';
export { type TraceSettings, type TracesOptions, traceSettings } from './telemetry/tracing/trace-settings.ts';
export type { AdmissionOperation, AdmissionRequest, AdmissionUser } from './webhook/admission-review.ts';
export {
  type Convert,
  conversionWebhook,
  DeniedError,
  type Mutate,
  mutatingWebhook,
  type Validate,
  type ValidationResult,
  validatingWebhook,
  type Webhook,
  type WebhookContext,
} from './webhook/webhook.ts';
export {
  createWebhookServer,
  type WebhookServer,
  type WebhookServerOptions,
} from './webhook/webhook-server.ts';
