import type { KnownOperation } from './reasons.ts';
import type { ServiceResource } from './service-resource.ts';

/** Texts of conditions of both kinds. They are those of the SAP BTP service operator. */

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
