/**
 * Reasons and messages of the events that the managed reconciler records, and fixed messages of its conditions. They
 * are those of crossplane-runtime, unless a comment says otherwise: users search for them and tools match them.
 */

export const reasonPaused = 'ReconciliationPaused';
export const reasonRequestHandled = 'ReconcileRequestHandled';
export const reasonInvalidPolicy = 'CannotUseInvalidManagementPolicy';
export const reasonCannotInitialize = 'CannotInitializeManagedResource';
export const reasonCannotResolve = 'CannotResolveResourceReferences';
export const reasonCannotConnect = 'CannotConnectToProvider';
export const reasonCannotDisconnect = 'CannotDisconnectFromProvider';
export const reasonCannotObserve = 'CannotObserveExternalResource';
export const reasonCannotCreate = 'CannotCreateExternalResource';
export const reasonCannotUpdate = 'CannotUpdateExternalResource';
export const reasonCannotDelete = 'CannotDeleteExternalResource';
export const reasonCannotPublish = 'CannotPublishConnectionDetails';
export const reasonCannotUnpublish = 'CannotUnpublishConnectionDetails';
export const reasonCannotUpdateManaged = 'CannotUpdateManagedResource';
export const reasonPending = 'PendingExternalResource';
export const reasonCreated = 'CreatedExternalResource';
export const reasonUpdated = 'UpdatedExternalResource';
export const reasonDeleted = 'DeletedExternalResource';

/** Not in Crossplane: an object of another owner does not exist yet. */
export { reasonWaitingEvent, waitsForFinalizersText } from '../../../controller/reconcile/held-deletion.ts';
/** Not in Crossplane: another resource holds what this one claims. */
export const reasonConflictEvent = 'Conflict';
/** Not in Crossplane: only Delete and Create could apply the spec, and the policies forbid one of them. */
export const reasonCannotReplace = 'CannotReplaceExternalResource';
/** Not in Crossplane: the finalizer is removed although the outcome of Create was never recorded. */
export const reasonCreationUnknown = 'CreationResultUnknown';

export const messagePaused =
  'Reconciliation is paused either through the `spec.managementPolicies` or the pause annotation';
export const messagePausedDeletion = `${messagePaused}; the deletion waits until the pause ends`;
export const messageRequestHandled = 'Handling reconcile request';
export const messagePending = 'Waiting for external resource existence to be confirmed';
export const messageCreated = 'Successfully requested creation of external resource';
export const messageUpdated = 'Successfully requested update of external resource';
export const messageDeleted = 'Successfully requested deletion of external resource';
export const messageCreationUnknown =
  'The creation of the external resource was never confirmed and nothing was found to delete; check the external API for it';

export const createIncompleteText =
  'cannot determine creation result - remove the crossplane.io/external-create-pending annotation if it is safe to proceed';
/** @param advice what may be wrong */
export const neverFoundText = (advice: string | undefined): string =>
  `the external resource was created, but is not found${advice === undefined ? '' : `: ${advice}`}; it is not created again: correct crossplane.io/external-name, or remove the annotation crossplane.io/external-create-pending if it is safe to create another one`;
export const notExistingText = 'external resource does not exist';
export const missingWithoutCreateText = `${notExistingText}, and spec.managementPolicies does not allow Create`;

/** @param missing actions that the policies do not allow */
export function cannotReplaceText(missing: readonly string[], diff: string | undefined): string {
  const why = diff === undefined ? '' : ` (${diff})`;
  return `the external resource must be deleted and created again${why}, but spec.managementPolicies does not allow ${missing.join(' and ')}`;
}

export function driftLeftAloneText(diff: string | undefined): string {
  const what = diff === undefined ? 'a difference' : `a difference (${diff})`;
  return `${what} is left alone, since spec.managementPolicies does not allow Update`;
}
