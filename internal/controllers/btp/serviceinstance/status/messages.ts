import type { KnownOperation } from './reasons.ts';

/** Texts of conditions. They are those of the SAP BTP service operator. */

const KIND = 'ServiceInstance';

export const pendingText = 'Pending';
export const deleteAfterRecoveryText = 'delete after recovery';
export const asyncErrorText = 'async operation error';
export const sharedText = 'instance shared successfully';
export const unsharedText = 'instance un-shared successfully';
/** The instance was found in Service Manager, and is shared. */
export const recoveredSharedText = 'Instance shared successfully';

export function successText(operation: KnownOperation): string {
  switch (operation) {
    case 'create':
      return `${KIND} provisioned successfully`;
    case 'update':
      return `${KIND} updated successfully`;
    case 'delete':
      return `${KIND} deleted successfully`;
    case undefined:
      return '';
    default:
      return operation satisfies never;
  }
}

export function progressText(operation: KnownOperation): string {
  switch (operation) {
    case 'create':
      return `${KIND} is being created`;
    case 'update':
      return `${KIND} is being updated`;
    case 'delete':
      return `${KIND} is being deleted`;
    case undefined:
      return 'Operation in progress';
    default:
      return operation satisfies never;
  }
}

/** An operation failed after Service Manager had accepted it. */
export function operationFailedText(operation: KnownOperation, cause: string): string {
  switch (operation) {
    case 'create':
      return `${KIND} create failed: ${cause}`;
    case 'update':
      return `${KIND} update failed: ${cause}`;
    case 'delete':
      return `${KIND} deletion failed: ${cause}`;
    case undefined:
      return cause;
    default:
      return operation satisfies never;
  }
}

export const notFoundText = (id: string): string =>
  `instance ${id} not found for this cluster or namespace; or it is not managed by this operator-access instance.`;

/** Prefix of an error of credentials. The external resource may exist, so the object stays. */
export const deleteNeedsCredentials = 'cannot delete the instance in Service Manager without credentials';
