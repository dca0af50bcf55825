/** The condition of a GardenerCluster. Reasons and texts are those of the Kyma infrastructure manager, oddities included. */
export const CONDITION = 'KubeconfigManagement';

export const reasons = {
  created: 'KubeconfigSecretCreated',
  rotated: 'KubeconfigSecretRotated',
  checkFailed: 'FailedToCheckSecret',
  createFailed: 'ConditionReasonFailedToCreateSecret',
  updateFailed: 'FailedToUpdateSecret',
  fetchFailed: 'FailedToGetKubeconfig',
} as const;

export type Reason = (typeof reasons)[keyof typeof reasons];

export type FailureReason = Exclude<Reason, 'KubeconfigSecretCreated' | 'KubeconfigSecretRotated'>;

export const messages: Readonly<Record<Reason, string>> = {
  KubeconfigSecretCreated: 'Secret created successfully.',
  KubeconfigSecretRotated: 'Secret rotated successfully.',
  FailedToCheckSecret: 'Failed to get secret.',
  ConditionReasonFailedToCreateSecret: 'Failed to create secret.',
  FailedToUpdateSecret: 'Failed to rotate secret.',
  FailedToGetKubeconfig: 'Failed to get kubeconfig.',
};

export const failed = (reason: FailureReason, cause: string): string => `${messages[reason]} Error: ${cause}`;

/** A kubeconfig that was stored although its cluster did not answer to it. */
export const untried = (reason: Reason, cause: string): string =>
  `${messages[reason]} The kubeconfig could not be tried: ${cause}`;
