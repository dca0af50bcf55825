import type { KubeObject } from '../../framework/kube/index.ts';

/** Labels that the broker sets on a Runtime. */
export const labels = {
  instanceId: 'kyma-project.io/instance-id',
  runtimeId: 'kyma-project.io/runtime-id',
  region: 'kyma-project.io/region',
  kymaName: 'operator.kyma-project.io/kyma-name',
  brokerPlanId: 'kyma-project.io/broker-plan-id',
  brokerPlanName: 'kyma-project.io/broker-plan-name',
  globalAccountId: 'kyma-project.io/global-account-id',
  subaccountId: 'kyma-project.io/subaccount-id',
} as const;

/** The tenant whose Runtime, or GardenerCluster of a Runtime, it is: all are in one namespace. Undefined: it is not known. */
export const accountOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.labels?.[labels.globalAccountId] || undefined;

// What this module writes on Shoots beside their specification, and names that follow from theirs.

/** Field manager of the Kyma infrastructure manager at Gardener. */
export const FIELD_MANAGER = 'kim';

/** The ID of the Runtime that the Shoot was rendered from. */
export const annotationRuntimeId = 'infrastructuremanager.kyma-project.io/runtime-id';
/** The generation of the Runtime that the Shoot was rendered from. */
export const annotationRuntimeGeneration = 'infrastructuremanager.kyma-project.io/runtime-generation';

/** How long Gardener waits for finalizers. Only renderings of today set it. */
export const annotationGracePeriod =
  'shoot.gardener.cloud/cleanup-extended-apis-finalize-grace-period-seconds';

/** Name of the ConfigMap with the authentication configuration of a Shoot. */
export const authenticationConfigName = (shoot: string): string => `structured-auth-config-${shoot}`;
