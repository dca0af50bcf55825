/** An InstanceMapping of either scope. The forms differ in the namespaces that the Secret may be in. */
export {
  type InstanceMapping,
  instanceMappingTypes,
} from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
