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
