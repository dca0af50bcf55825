export {
  type ServiceInstance,
  type ServiceInstanceSpec,
  serviceInstances,
} from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';

/** Blocks the deletion of a ServiceInstance, and of a watched Secret. */
export const finalizer = 'services.cloud.sap.com/sap-btp-finalizer';
