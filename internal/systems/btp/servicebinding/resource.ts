export {
  type ServiceBinding,
  type ServiceBindingSpec,
  serviceBindings,
} from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
