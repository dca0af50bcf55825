/** Types and reasons of the conditions of a Runtime. They are those of the Kyma infrastructure manager. */
export const conditionTypes = {
  provisioned: 'Provisioned',
  kubeconfigReady: 'KubeconfigReady',
  oidcConfigured: 'OidcConfigured',
  configured: 'Configured',
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
  oidcConfigured: 'OidcConfigured',
  administratorsConfigured: 'AdministratorsConfigured',
  configurationError: 'ConfigurationError',
  kubernetesError: 'KubernetesErr',
  gardenerClusterDeleted: 'GardenerClusterCRDeleted',
  shootDeleted: 'GardenerShootDeleted',
  structuredConfigDeleted: 'StructuredConfigDeleted',
  registryCacheConfigurationError: 'RegistryCacheConfigurationErr',
  driftRefused: 'DriftRefused',
  shootErrors: 'ShootErrors',
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];
