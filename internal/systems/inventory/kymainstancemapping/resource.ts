/** A KymaInstanceMapping of either scope. Only inputs/input-refs.ts handles the scopes differently. */
import {
  type KymaInstanceMapping,
  kymaInstanceMappingTypes,
} from '../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { ObjectKey, ResourceType } from '../../../framework/kube/index.ts';

export { type KymaInstanceMapping, kymaInstanceMappingTypes };

/** The type of the scope of the key. */
export const typeOfKey = ({ namespace }: ObjectKey): ResourceType<KymaInstanceMapping> =>
  namespace === undefined ? kymaInstanceMappingTypes.cluster : kymaInstanceMappingTypes.namespaced;
