import { instanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { configMaps, secrets } from '../../framework/kube/object/resource-type.ts';
import { type Purpose, type RequiredRight, rightsFor } from '../../framework/module/right.ts';
import { serviceBindings, serviceInstances } from './kymainstancemapping/inputs/btp-operator-types.ts';
import { kymaInstanceMappingTypes } from './kymainstancemapping/resource.ts';

const kubeconfigs: Purpose = {
  name: 'kubeconfigs',
  neededFor: 'kubeconfigs of kymaConnectionRef; admin credentials of InstanceMappings',
};
const localSources: Purpose = {
  name: 'local-sources',
  neededFor: 'input objects on this cluster: KymaInstanceMappings without kymaConnectionRef',
  otherwise: 'mappings with a kymaConnectionRef work',
};
const namespaceDeletion: Purpose = {
  name: 'namespace-deletion',
  neededFor: 'deleting mappings together with their namespace',
  otherwise: 'the deletion waits if input objects were deleted before their mapping',
};
const migration: Purpose = {
  name: 'take-over',
  neededFor: "migration from SAP's Go provider",
  otherwise: 'the leftovers of the Go provider stay, without effect',
};

export const inventoryRights: readonly RequiredRight[] = [
  ...rightsFor(kubeconfigs, secrets, ['get', 'watch']),
  ...rightsFor(localSources, configMaps, ['get', 'watch']),
  ...rightsFor(localSources, serviceInstances, ['get', 'watch']),
  ...rightsFor(localSources, serviceBindings, ['get', 'watch']),
  // A dry-run create shows whether the namespace is being deleted.
  ...rightsFor(namespaceDeletion, configMaps, ['create']),
  ...rightsFor(migration, kymaInstanceMappingTypes.cluster, ['patch'], 'status'),
  ...rightsFor(migration, instanceMappings, ['delete']),
  ...rightsFor(migration, secrets, ['delete']),
];
