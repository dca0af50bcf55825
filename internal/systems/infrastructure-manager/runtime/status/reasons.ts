/** Types and reasons of the conditions of a Runtime. They are those of the Kyma infrastructure manager. */
export const conditionTypes = {
  provisioned: 'Provisioned',
  kubeconfigReady: 'KubeconfigReady',
  kymaSystemCreated: 'KymaSystemNSCreated',
  runtimeBootstrapperReady: 'RuntimeBootstrapperReady',
  oidcConfigured: 'OidcAndConfigMapConfigured',
  configured: 'Configured',
  auditLogConfigured: 'CustomAuditLogConfigured',
  auditLogCredentialsCopied: 'AuditLogCredentialsCopied',
  deprovisioned: 'Deprovisioned',
  registryCacheConfigured: 'RegistryCacheConfigured',
  /** Not of the Kyma infrastructure manager. Only there while it is False. */
  driftCorrected: 'DriftCorrected',
  /** The same. */
  shootOperationSucceeded: 'ShootOperationSucceeded',
} as const;

export type ConditionType = (typeof conditionTypes)[keyof typeof conditionTypes];

export const reasons = {
  initialised: 'Initialised',
  pending: 'Pending',
  shootCreationCompleted: 'ShootCreationCompleted',
  processing: 'Processing',
  configurationCompleted: 'ConfigurationCompleted',
  creationError: 'CreationErr',
  processingError: 'ProcessingErr',
  gardenerError: 'GardenerErr',
  shootNotOwned: 'ShootNotOwned',
  seedNotFound: 'SeedNotFound',
  auditLogError: 'AuditLogErr',
  oidcConfigurationError: 'OidcConfigurationErr',
  conversionError: 'ConversionErr',
  gardenerClusterCreated: 'GardenerClusterCRCreated',
  gardenerClusterReady: 'GardenerClusterCRReady',
  kymaSystemReady: 'KymaSystemNSReady',
  kymaSystemError: 'KymaSystemNSError',
  runtimeBootstrapperConfigurationFailed: 'RuntimeBootstrapperConfigurationFailed',
  runtimeBootstrapperStatusUnknown: 'RuntimeBootstrapperStatusUnknown',
  runtimeBootstrapperInstallationFailed: 'RuntimeBootstrapperInstallationFailed',
  runtimeBootstrapperInstallationInProgress: 'RuntimeBootstrapperInstallationInProgress',
  runtimeBootstrapperUpgradeFailed: 'RuntimeBootstrapperUpgradeFailed',
  runtimeBootstrapperUpgradeInProgress: 'RuntimeBootstrapperUpgradeInProgress',
  runtimeBootstrapperConfigured: 'RuntimeBootstrapperConfigured',
  oidcConfigured: 'OidcAndConfigMapsConfigured',
  configMapError: 'ConfigMapErr',
  customAuditLogError: 'CustomAuditLogErr',
  customAuditLogConfigured: 'CustomAuditLogConfigured',
  credentialsCopied: 'CredentialsCopied',
  credentialsCopyError: 'CredentialsCopyErr',
  administratorsConfigured: 'AdministratorsConfigured',
  configurationError: 'ConfigurationError',
  kubernetesError: 'KubernetesErr',
  gardenerClusterDeleted: 'GardenerClusterCRDeleted',
  shootDeleted: 'GardenerShootDeleted',
  structuredConfigDeleted: 'StructuredConfigDeleted',
  registryCacheConfigured: 'RegistryCacheConfigured',
  registryCacheConfigurationFailed: 'RegistryCacheGardenClusterConfigurationFailed',
  /** What the cluster asks for cannot be read. */
  registryCacheError: 'RegistryCacheError',
  registryCacheCleanupFailed: 'RegistryCacheGardenClusterCleanupFailed',
  driftRefused: 'DriftRefused',
  shootErrors: 'ShootErrors',
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];
