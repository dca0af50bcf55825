/** Texts of conditions of a ServiceBinding. They are those of the SAP BTP service operator. */

export const missingInstanceText = (name: string, namespace: string): string =>
  `couldn't find the service instance '${name}' in namespace '${namespace}'`;
export const deletedInstanceText = 'instance is in deletion process';
export const unreadyInstanceText = 'service instance is not ready';

/** Reasons of events about the Secret. */
export const secretCreated = 'SecretCreated';
export const secretDeleted = 'SecretDeleted';
