/** Texts of conditions of a ServiceBinding. They are those of the SAP BTP service operator, except the last. */
import { nameProblem } from '../../../framework/kube/object/object.ts';

export function missingInstanceText(name: string, namespace: string): string {
  const problem = nameProblem(name, 'a ServiceInstance');
  const text = `couldn't find the service instance '${name}' in namespace '${namespace}'`;
  return problem === undefined ? text : `${text}: ${problem}`;
}
export const deletedInstanceText = 'instance is in deletion process';
export const unreadyInstanceText = 'service instance is not ready';
export const noCredentialsText =
  'Service Manager shows no credentials for the binding: the Secret keeps those that it has and is not changed. If the binding has none, delete the Secret, and it is written without them';

/** Reasons of events about the Secret. */
export const secretCreated = 'SecretCreated';
export const secretDeleted = 'SecretDeleted';
