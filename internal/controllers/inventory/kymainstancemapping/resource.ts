import {
  type KymaInstanceMapping as NamespacedKymaInstanceMapping,
  kymaInstanceMappings as namespacedKymaInstanceMappings,
} from '../../../../apis/inventory.hana.m.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import {
  type KymaInstanceMapping as ClusterKymaInstanceMapping,
  kymaInstanceMappings as clusterKymaInstanceMappings,
} from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';

/** A KymaInstanceMapping of either scope. What follows from the scope is decided in inputs/input-refs.ts and nowhere else. */
export type KymaInstanceMapping = ClusterKymaInstanceMapping | NamespacedKymaInstanceMapping;

/** Where both are served, by the generation of managed resources that they belong to. */
export const kymaInstanceMappingTypes = {
  legacy: clusterKymaInstanceMappings,
  modern: namespacedKymaInstanceMappings,
} as const;
