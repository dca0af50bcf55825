/** `provider-kyma/controller`: controllers, for any object. */

export type { Controller } from './controller.ts';
export {
  type ControllerManager,
  type ControllerManagerOptions,
  type ControllerSettings,
  createControllerManager,
} from './controller-manager.ts';
export type { GatedKind, KindRun, RunCondition } from './gate/gated-kinds.ts';
export type { KeyedValues, KeyStore } from './key-store.ts';
export {
  changedByUsers,
  type InformersAt,
  type ObjectControllerOptions,
  type ReconcilableKind,
  type ReconciledKind,
} from './object-controller.ts';
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
  type ErrorSink,
  type Failure,
  handleError,
  isNoFailure,
  reportingFailures,
  StepFailure,
  step,
} from './reconcile/handle-error.ts';
export {
  type HeldDeletionOptions,
  reasonWaitingForFinalizers,
  reportingHeldDeletion,
} from './reconcile/held-deletion.ts';
export type { Reconciler, ReconcilerContext, ReconcilerMemory, ShardLabels } from './reconcile/reconciler.ts';
export { withShardLabels } from './reconcile/shard-ownership.ts';
export {
  createObjectEvents,
  GoneError,
  type ObjectEvents,
  type ObjectEventsOptions,
  type StoreStatusOptions,
  storeStatus,
} from './reconcile/store-status.ts';
export { type UndoCreate, undoingIfGone } from './reconcile/undo-create.ts';
export type { OnWritten, WithStatus, WorkingCopy } from './reconcile/working-copy.ts';
export type { ExternalWrite, WriteGuard } from './reconcile/write-guard.ts';
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
export type { OwnWrite } from './sources/own-objects.ts';
export {
  availabilityOf,
  type Channel,
  channel,
  createObjectIndex,
  type Enqueue,
  type EnqueueOptions,
  indexed,
  type MapFunction,
  type MappedOptions,
  mapped,
  type ObjectIndex,
  ofType,
  ownedBy,
  type Predicate,
  reported,
  type Source,
} from './sources/source.ts';
export type { WatchTriggers } from './sources/watch-triggers.ts';
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
