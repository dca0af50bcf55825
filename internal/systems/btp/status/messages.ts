import type { OperationState, OperationType } from '../service-manager/index.ts';
import type { ServiceResource } from './service-resource.ts';

/** Reasons of conditions and of events. They are those of the SAP BTP service operator, and `Orphaned` and `InUse`. */
export const reasons = {
  created: 'Created',
  updated: 'Updated',
  deleted: 'Deleted',
  orphaned: 'Orphaned',
  inUse: 'InUse',
  finished: 'Finished',
  createInProgress: 'CreateInProgress',
  updateInProgress: 'UpdateInProgress',
  deleteInProgress: 'DeleteInProgress',
  inProgress: 'InProgress',
  createFailed: 'CreateFailed',
  updateFailed: 'UpdateFailed',
  deleteFailed: 'DeleteFailed',
  failed: 'Failed',
  provisioned: 'Provisioned',
  notProvisioned: 'NotProvisioned',
  notFound: 'NotFound',
  blocked: 'Blocked',
  shareSucceeded: 'ShareSucceeded',
  shareFailed: 'ShareFailed',
  shareNotSupported: 'ShareNotSupported',
  unshareSucceeded: 'UnShareSucceeded',
  unshareFailed: 'UnShareFailed',
  preparing: 'Preparing',
  rotating: 'Rotating',
  pendingTermination: 'PendingTermination',
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];

/** The type of an operation; undefined: Service Manager does not name it, or no operation was started. */
export type KnownOperation = OperationType | undefined;

const byState: Readonly<Record<OperationState, Readonly<Record<OperationType | 'unknown', Reason>>>> = {
  succeeded: {
    create: reasons.created,
    update: reasons.updated,
    delete: reasons.deleted,
    unknown: reasons.finished,
  },
  'in progress': {
    create: reasons.createInProgress,
    update: reasons.updateInProgress,
    delete: reasons.deleteInProgress,
    unknown: reasons.inProgress,
  },
  pending: {
    create: reasons.createInProgress,
    update: reasons.updateInProgress,
    delete: reasons.deleteInProgress,
    unknown: reasons.inProgress,
  },
  failed: {
    create: reasons.createFailed,
    update: reasons.updateFailed,
    delete: reasons.deleteFailed,
    unknown: reasons.failed,
  },
};

/** The reason of the condition Succeeded. */
export function reasonOf(operation: KnownOperation, state: OperationState): Reason {
  return byState[state][operation ?? 'unknown'];
}

// Texts of conditions of both kinds. They are those of the SAP BTP service operator.

type Kind = ServiceResource['kind'];

export const pendingText = 'Pending';
export const deleteAfterRecoveryText = 'delete after recovery';
export const asyncErrorText = 'async operation error';

export function successText(kind: Kind, operation: KnownOperation): string {
  switch (operation) {
    case 'create':
      return `${kind} provisioned successfully`;
    case 'update':
      return `${kind} updated successfully`;
    case 'delete':
      return `${kind} deleted successfully`;
    case undefined:
      return '';
    default:
      return operation satisfies never;
  }
}

export function progressText(kind: Kind, operation: KnownOperation): string {
  switch (operation) {
    case 'create':
      return `${kind} is being created`;
    case 'update':
      return `${kind} is being updated`;
    case 'delete':
      return `${kind} is being deleted`;
    case undefined:
      return 'Operation in progress';
    default:
      return operation satisfies never;
  }
}

/** An operation failed after Service Manager had accepted it. */
export function operationFailedText(kind: Kind, operation: KnownOperation, cause: string): string {
  switch (operation) {
    case 'create':
      return `${kind} create failed: ${cause}`;
    case 'update':
      return `${kind} update failed: ${cause}`;
    case 'delete':
      return `${kind} deletion failed: ${cause}`;
    case undefined:
      return cause;
    default:
      return operation satisfies never;
  }
}

export const notFoundText = (kind: Kind, id: string): string =>
  `${nounOf(kind)} ${id} not found for this cluster or namespace; or it is not managed by this operator-access instance.`;

/** The text of an event. The ID is empty if none is known. */
export const orphanedText = (kind: Kind, id: string): string =>
  `${kind} removed by its deletion policy; the ${nounOf(kind)}${id === '' ? '' : ` ${id}`} stays in Service Manager`;

/** Prefix of an error of credentials. The external resource may exist, so the object stays. */
export const deleteNeedsCredentials = (kind: Kind): string =>
  `cannot delete the ${nounOf(kind)} in Service Manager without credentials`;

export const nounOf = (kind: Kind): string => (kind === 'ServiceBinding' ? 'binding' : 'instance');
