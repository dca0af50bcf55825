import {
  type InstanceMapping as NamespacedInstanceMapping,
  instanceMappings as namespacedInstanceMappings,
} from '../../../../apis/inventory.hana.m.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import {
  type InstanceMapping as ClusterInstanceMapping,
  instanceMappings as clusterInstanceMappings,
} from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';

/** An InstanceMapping of either scope. They differ in the namespaces that the Secret may be in. */
export type InstanceMapping = ClusterInstanceMapping | NamespacedInstanceMapping;

/** By scope. */
export const instanceMappingTypes = {
  cluster: clusterInstanceMappings,
  namespaced: namespacedInstanceMappings,
} as const;
