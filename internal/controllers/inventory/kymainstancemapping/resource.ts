import {
  type KymaInstanceMapping as NamespacedKymaInstanceMapping,
  kymaInstanceMappings as namespacedKymaInstanceMappings,
} from '../../../../apis/inventory.hana.m.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import {
  type KymaInstanceMapping as ClusterKymaInstanceMapping,
  kymaInstanceMappings as clusterKymaInstanceMappings,
} from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { ObjectKey } from '../../../kube/object/object.ts';
import type { ResourceType } from '../../../kube/object/resource-type.ts';

/** A KymaInstanceMapping of either scope. Only inputs/input-refs.ts handles the scopes differently. */
export type KymaInstanceMapping = ClusterKymaInstanceMapping | NamespacedKymaInstanceMapping;

/** By scope. */
export const kymaInstanceMappingTypes = {
  cluster: clusterKymaInstanceMappings,
  namespaced: namespacedKymaInstanceMappings,
} as const;

/** The type of the scope of the key. */
export const typeOfKey = ({ namespace }: ObjectKey): ResourceType<KymaInstanceMapping> =>
  namespace === undefined ? kymaInstanceMappingTypes.cluster : kymaInstanceMappingTypes.namespaced;
