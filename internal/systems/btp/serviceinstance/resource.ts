export {
  type ServiceInstance,
  type ServiceInstanceSpec,
  serviceInstances,
} from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
