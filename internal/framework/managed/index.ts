/** `provider-kyma/managed`: managed resources. */

export {
  type AccessLeft,
  createLastAccess,
  type LastAccess,
  type LastAccessOptions,
} from './access/last-access.ts';
export type { ChangeEntry, Operation } from './changelog/change-entry.ts';
export type { ChangeLog, ChangeLogOptions } from './changelog/change-log.ts';
export type { ClaimLists, IncompleteList, ListedCache } from './claims/claim-lists.ts';
export {
  type Claiming,
  type ClaimRegistry,
  claimantOf,
  createClaimRegistry,
  type FollowedEvent,
  isOlder,
  type ObjectClaimant,
  objectClaimant,
} from './claims/claim-registry.ts';
export type { Claimant, Claims, Subject as ClaimSubject } from './claims/claims.ts';
export {
  type ClaimedKind,
  createExternalClaims,
  type ExternalClaims,
  type KindClaims,
} from './claims/external-claims.ts';
export { claimsIncomplete, claimUnconfirmed, contestedClaim } from './claims/messages.ts';
export type { UnconfirmedClaims } from './claims/unconfirmed-claims.ts';
export type { ConnectionDetails, ConnectionPublisher } from './connection/connection-publisher.ts';
export type {
  Connector,
  ExternalClient,
  ExternalFields,
  ExternalResult,
  Observation,
  ReconcileContext,
} from './kind/external-client.ts';
export { identityTags } from './kind/identity-tags.ts';
export {
  controllerName,
  type Initializer,
  type ManagedKind,
  nameAsExternalName,
  type StoreChanges,
  shareOfNamespace,
} from './kind/managed-kind.ts';
export {
  type ManagementAction,
  type Policies,
  type PolicyOptions,
  resolvePolicies,
  supportedPolicySets,
} from './kind/policies.ts';
export { inGroups, jitterFraction, jitterSpan, type PollIntervalHook, pollOffsetOf } from './kind/poll.ts';
export { type StateMetricsOptions, startStateMetrics } from './metrics/state-metrics.ts';
export { openChangeLog, openTraces } from './on-demand.ts';
export {
  createProvider,
  type KindUse,
  type Provider,
  type ProviderOptions,
  type ProviderSettings,
} from './provider.ts';
export type { ConfigCall, ConfigUse, Connection } from './providerconfig/config-use.ts';
export {
  type CredentialAccess,
  type CredentialHandler,
  type CredentialSelectors,
  extractCredentials,
} from './providerconfig/credentials.ts';
export {
  type ConfigKinds,
  type ConfigRef,
  configTypes,
  type ProviderConfig,
  type ProviderConfigUsage,
  type UsedConfig,
  usedConfigOf,
} from './providerconfig/model/provider-config.ts';
export type { ProviderConfigs } from './providerconfig/provider-configs.ts';
export { type FieldReference, resolveFieldReferences, resolveWithin } from './references/field-references.ts';
export type {
  ManyField,
  OneField,
  Reference,
  ReferencePolicy,
  ReferenceTarget,
  ResolvedMany,
  ResolvedOne,
  Selector,
} from './references/reference.ts';
export type { ReferenceResolver } from './references/reference-resolver.ts';
export type { TargetReaderOptions } from './references/target-reader.ts';
export {
  available,
  type Conditioned,
  creating,
  deleting,
  differsFromStored,
  dropCondition,
  getCondition,
  type NewCondition,
  reasonWaiting,
  setConditions,
  typeReady,
  typeSynced,
  typeUpToDate,
  unavailable,
} from './resource/conditions.ts';
export type { Managed, ManagedSpec, ManagedStatus } from './resource/managed.ts';
export {
  annotationCreatePending,
  annotationExternalName,
  annotationOf,
  annotationPaused,
  annotationPollInterval,
  annotationReconcileRequestedAt,
  createIncomplete,
  externalNameFrom,
  hasCreateIntent,
  recordedExternalName,
  setAnnotation,
  setCreateFailed,
  setCreateIntent,
  setCreatePending,
  setCreateSucceeded,
  setExternalName,
} from './resource/meta.ts';
export { type CriticalAnnotationsOptions, storeCriticalAnnotations } from './steps/critical-annotations.ts';
export { failureMessage } from './steps/messages/failures.ts';
