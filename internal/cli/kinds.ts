/** The kinds that this provider works on: whoever adds one adds a line. */
import { hanaConfigKinds } from '../controllers/hana/provider-configs.ts';
import { instanceMappingKind } from '../controllers/inventory/instancemapping/instance-mapping.ts';
import { instanceMappingTypes } from '../controllers/inventory/instancemapping/resource.ts';
import { kymaInstanceMappingKind } from '../controllers/inventory/kymainstancemapping/kyma-instance-mapping.ts';
import { kymaInstanceMappingTypes } from '../controllers/inventory/kymainstancemapping/resource.ts';
import { type ManagedKindEntry, managed } from './managed-kind-entry.ts';

/** Each with the configurations that its resources refer to. */
export const managedKinds: readonly ManagedKindEntry[] = [
  managed(kymaInstanceMappingTypes.legacy, hanaConfigKinds.legacy, kymaInstanceMappingKind),
  managed(kymaInstanceMappingTypes.modern, hanaConfigKinds.modern, kymaInstanceMappingKind),
  managed(instanceMappingTypes.legacy, hanaConfigKinds.legacy, instanceMappingKind),
  managed(instanceMappingTypes.modern, hanaConfigKinds.modern, instanceMappingKind),
];
