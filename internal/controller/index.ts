/** `provider-kyma/controller`: controllers, for any object. */

export { type Controller, type ControllerOptions, createController } from './controller.ts';
export type { GatedKind, KindRun, RunCondition } from './gate/gated-kind.ts';
export { createKeyStore, type KeyedValues, type KeyStore } from './key-store.ts';
export {
  type AddControllerOptions,
  type Controllers,
  type ControllersOptions,
  createControllers,
} from './manager/controllers.ts';
export { createObjectIndex, indexed, type ObjectIndex } from './object-index.ts';
export { type AddOptions, LOW_PRIORITY, POLL_PRIORITY } from './queue/work-queue.ts';
export {
  foreignFinalizers,
  hasFinalizer,
  managedFinalizer,
  removeFinalizer,
  stageFinalizer,
  storeFinalizer,
} from './reconcile/finalizer.ts';
export {
  createObjectEvents,
  type ObjectEvents,
  type ObjectEventsOptions,
} from './reconcile/object-events.ts';
export { requeueOnConflict } from './reconcile/requeue.ts';
export {
  createWorkingCopy,
  type OnWritten,
  type WithStatus,
  type WorkingCopy,
  type WorkingCopyOptions,
} from './reconcile/working-copy.ts';
export {
  createWriteGuard,
  type ExternalWrite,
  type WriteGuard,
  type WriteGuardOptions,
} from './reconcile/write-guard.ts';
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
} from './reconcile-result.ts';
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
  createShardOwnership,
  type Ownership,
  type ShardOwnership,
  type ShardOwnershipOptions,
} from './sharding/shard-ownership.ts';
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
} from './source.ts';
export type { WatchTriggers } from './watch-triggers.ts';
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
