import {
  type InstanceMapping as NamespacedInstanceMapping,
  instanceMappings as namespacedInstanceMappings,
} from '../../../../apis/inventory.hana.m.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import {
  type InstanceMapping as ClusterInstanceMapping,
  instanceMappings as clusterInstanceMappings,
} from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';

/** An InstanceMapping of either scope. They differ in where the Secret with the credentials may lie. */
export type InstanceMapping = ClusterInstanceMapping | NamespacedInstanceMapping;

/** Where both are served, by the generation of managed resources that they belong to. */
export const instanceMappingTypes = {
  legacy: clusterInstanceMappings,
  modern: namespacedInstanceMappings,
} as const;
