import { HIBERNATED } from '../gardener/gardener.ts';

/** Texts of the conditions of a Runtime. They are those of the Kyma infrastructure manager, typos included. */
export const messages = {
  initialized: 'Runtime initialized',
  shootPending: 'Shoot is pending',
  creationInProgress: 'Shoot creation in progress',
  creationRetryable: 'Retryable gardener errors during cluster provisioning',
  reconcileRetryable: 'Retryable gardener errors during cluster reconcile',
  creationCompleted: 'Shoot creation completed',
  creationFailed: 'Shoot creation failed',
  noMatchingSeeds: 'Shoot creation failed, no matching seeds',
  pendingAfterPatch: 'Shoot is pending for update after patch',
  pendingAfterConflict: 'Shoot is pending for update after conflict error',
  pendingAfterForbidden: 'Shoot is pending for update after forbidden error',
  updateInProgress: 'Shoot update is in progress',
  patchedWithoutChanges: 'Shoot patched without changes',
  processingCompleted: 'Runtime processing completed successfully',
  gardenerClusterCreated: 'Gardener Cluster CR created, waiting for readiness',
  gardenerClusterReady: 'Gardener Cluster CR is ready.',
  kymaSystemFailed: 'Failed to create the kyma-system Namespace',
  kymaSystemCreated: 'Creation of kyma-system Namespace',
  bootstrapperNotConfigured: 'Failed to copy configuration to the runtime cluster',
  bootstrapperUnknown: 'Runtime bootstrapper status check failed',
  bootstrapperFailed: 'Runtime bootstrapper installation failed',
  bootstrapperInstalling: 'Runtime bootstrapper installation in progress',
  bootstrapperUpgradeFailed: 'Runtime bootstrapper upgrade failed',
  bootstrapperUpgrading: 'Runtime bootstrapper upgrade in progress',
  bootstrapperInstalled: 'Runtime bootstrapper installation completed',
  oidcConfigured: 'OIDC and kyma-provisioning-info configuration completed',
  oidcExtensionDisabled: 'OIDC extension disabled',
  oidcFailed: 'Failed to create OpenIDConnect resource. Scheduling for retry',
  provisioningInfoFailed: 'Failed to apply kyma-provisioning-info config map, scheduling for retry',
  administratorsConfigured: 'Cluster admin configuration completed',
  bindingsFailed: 'failed to update kubeconfig admin access',
  hibernated: HIBERNATED,
  auditLogClaimed: 'Dedicated audit logging claimed, configuring shoot',
  auditLogConfigured: 'Custom AuditLog shoot configuration completed',
  readCredentialsCopied: 'Audit log read credentials copied to runtime',
  readCredentialsMissing: 'Waiting for read credentials secret to be configured',
  readCredentialsFailed: 'Failed to copy read credentials',
  registryCacheConfigured: 'Registry cache configured successfully',
  registryCacheFailed: 'Failed to configure registry cache',
  registryCacheRefused: 'Gardener refused the registry caches, and the Shoot keeps those that it has',
  deletionStarted: 'Runtime shoot deletion started',
  gardenerClusterDeleted: 'Gardener Cluster CR successfully deleted',
  cacheSecretsDeleteFailed: 'Cannot delete the Secrets of registry caches in Gardener',
} as const;

export const createFailed = (cause: string): string => `Gardener API create error: ${cause}`;

export const updateFailed = (cause: string): string => `Gardener API shoot update error: ${cause}`;

export const deleteFailed = (cause: string): string => `Gardener API delete error: ${cause}`;

export const shootDeleteFailed = (cause: string): string => `Gardener API shoot delete error: ${cause}`;

export const authenticationConfigDeleteFailed = (cause: string): string =>
  `Gardener API structured authentication configmap delete error: ${cause}`;

export const authenticationConfigFailed = (cause: string): string =>
  `Failed to create structured authentication config map: ${cause}`;

export const auditLogFailed = (cause: string): string => `Failed to configure audit logs: ${cause}`;

export const conversionFailed = (cause: string): string => `Runtime conversion error ${cause}`;

export const seedsUnknown = (region: string, cause: string): string =>
  `Failed to verify whether seed is available for the region ${region}: ${cause}`;

export const noSeedInRegion = (region: string, regions: readonly string[]): string =>
  `Cannot find available seed for the region ${region}. The followig regions have seeds ready: [${regions.join(' ')}].`;

export const auditLogError = (cause: string): string =>
  `Dedicated audit logging requested but no available configuration found: ${cause}`;

export const driftRefused = (cause: string): string => `Gardener refused to correct the Shoot: ${cause}`;

export const shootErrors = (cause: string): string => `Gardener reports errors of the Shoot: ${cause}`;
