/** The kinds that this provider works on: whoever adds one adds a line. */
import { instanceMappings } from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { kymaInstanceMappings } from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { hanaConfigKinds } from '../controllers/hana/provider-configs.ts';
import { instanceMappingKind } from '../controllers/inventory/instancemapping/instance-mapping.ts';
import { kymaInstanceMappingKind } from '../controllers/inventory/kymainstancemapping/kyma-instance-mapping.ts';
import { type ManagedKindEntry, managed } from './managed-kind-entry.ts';

/** Each with the configurations that its resources refer to. */
export const managedKinds: readonly ManagedKindEntry[] = [
  managed(kymaInstanceMappings, hanaConfigKinds, kymaInstanceMappingKind),
  managed(instanceMappings, hanaConfigKinds, instanceMappingKind),
];
