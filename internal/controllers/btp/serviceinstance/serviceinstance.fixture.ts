import type { ServiceInstance, ServiceInstanceSpec } from './resource.ts';

type Status = NonNullable<ServiceInstance['status']>;

/** A ServiceInstance of generation 3, as a user creates it. */
export function sampleInstance(
  spec: Partial<ServiceInstanceSpec> = {},
  status?: Partial<Status>,
): ServiceInstance {
  return {
    apiVersion: 'services.cloud.sap.com/v1',
    kind: 'ServiceInstance',
    metadata: { name: 'orders', namespace: 'shop', uid: 'uid-1', generation: 3 },
    spec: { serviceOfferingName: 'xsuaa', servicePlanName: 'application', externalName: 'orders', ...spec },
    ...(status === undefined ? {} : { status: { conditions: [], ...status } }),
  };
}
