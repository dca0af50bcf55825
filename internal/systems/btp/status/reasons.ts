import type { OperationState, OperationType } from '../service-manager/index.ts';

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
