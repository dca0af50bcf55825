import {
  type KymaInstanceMapping as NamespacedKymaInstanceMapping,
  kymaInstanceMappings as namespacedKymaInstanceMappings,
} from '../../../../apis/inventory.hana.m.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import {
  type KymaInstanceMapping as ClusterKymaInstanceMapping,
  kymaInstanceMappings as clusterKymaInstanceMappings,
} from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';

/** A KymaInstanceMapping of either scope. Only inputs/input-refs.ts handles the scopes differently. */
export type KymaInstanceMapping = ClusterKymaInstanceMapping | NamespacedKymaInstanceMapping;

/** By scope, in Crossplane's words: legacy resources are cluster-scoped, modern ones namespaced. */
export const kymaInstanceMappingTypes = {
  legacy: clusterKymaInstanceMappings,
  modern: namespacedKymaInstanceMappings,
} as const;
