/**
 * What users read about provider configurations: reasons and fixed texts of events and conditions. They are
 * Crossplane's, except where they say otherwise.
 */

export const reasonUsageAccounting = 'UsageAccounting';

export const typeTerminating = 'Terminating';
export const reasonInUse = 'InUse';
export const messageInUse = 'Blocking deletion while usages still exist';

export const missingRefText = 'managed resource does not reference a ProviderConfig';
export const missingRefKindText = 'managed resource ProviderConfig reference has no Kind';
export const unknownKindText = (kind: string) => `unknown provider config kind: ${JSON.stringify(kind)}`;

/** Ours: a configuration that was named on purpose must exist, needed or not. */
export const configMissingText = (kind: string, key: string) =>
  `${kind} ${key} not found; create it, or correct spec.providerConfigRef`;

export const noEnvText = 'cannot extract from environment variable when none specified';
export const noPathText = 'cannot extract from filesystem when no path specified';
export const noSecretKeyText = 'cannot extract from secret key when none specified';
/** Ours: a tenant's configuration must not hand out what belongs to the provider. */
export const notInNamespaceText = (source: string) =>
  `a namespaced ProviderConfig cannot take credentials from ${source}, which belongs to the provider; use Secret, or a ClusterProviderConfig`;
export const noHandlerText = (source: string) => `no extraction handler registered for source: ${source}`;
