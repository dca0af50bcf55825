/**
 * Reasons and fixed messages of events and conditions of provider configurations. They are those of
 * crossplane-runtime, unless a comment says otherwise.
 */

import { impossibleKey, notFoundText } from '../../../kube/object/object.ts';

export { reasonWaitingForFinalizers } from '../../../controller/reconcile/held-deletion.ts';

export const reasonUsageAccounting = 'UsageAccounting';

export const typeTerminating = 'Terminating';
export const reasonInUse = 'InUse';
export const messageInUse = 'Blocking deletion while usages still exist';
/** Crossplane's text, and not in Crossplane: how many there are, and the command that lists them. */
export const inUseText = (users: number, command: string): string =>
  `${messageInUse}: ${users === 1 ? '1 resource uses it' : `${users} resources use it`}; ${command} lists the usages`;

export const missingRefText = 'managed resource does not reference a ProviderConfig';
export const missingRefKindText = 'managed resource ProviderConfig reference has no Kind';
export const unknownKindText = (kind: string) => `unknown provider config kind: ${JSON.stringify(kind)}`;

/** Not in Crossplane: a configuration that is not the default must exist, even if it is not read. */
export const configMissingText = (kind: string, key: string) =>
  impossibleKey(key) === undefined
    ? `${kind} ${key} not found; create it, or correct spec.providerConfigRef`
    : `${kind} ${key} ${notFoundText(key)}; correct spec.providerConfigRef`;

export const noEnvText = 'cannot extract from environment variable when none specified';
export const noPathText = 'cannot extract from filesystem when no path specified';
export const noSecretKeyText = 'cannot extract from secret key when none specified';
/** Not in Crossplane: a tenant must not read environment and files of the provider. */
export const notInNamespaceText = (source: string) =>
  `a namespaced ProviderConfig cannot take credentials from ${source}, which belongs to the provider; use Secret, or a ClusterProviderConfig`;
export const noHandlerText = (source: string) => `no extraction handler registered for source: ${source}`;
