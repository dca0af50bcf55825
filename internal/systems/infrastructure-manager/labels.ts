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
