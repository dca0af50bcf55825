import { instanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.gen.ts';
import { configMaps, secrets } from '../../kube/object/resource-type.ts';
import { type Purpose, type RequiredRight, rightsFor } from '../module/right.ts';
import { serviceBindings, serviceInstances } from './kymainstancemapping/inputs/btp-operator-types.ts';
import { kymaInstanceMappingTypes } from './kymainstancemapping/resource.ts';

const kubeconfigs: Purpose = {
  name: 'kubeconfigs',
  neededFor: 'sources on other clusters, by kymaConnectionRef; admin credentials of InstanceMappings',
};
const localSources: Purpose = {
  name: 'local-sources',
  neededFor: 'sources on this cluster: KymaInstanceMappings without kymaConnectionRef',
  otherwise: 'mappings with a kymaConnectionRef work',
};
const namespaceDeletion: Purpose = {
  name: 'namespace-deletion',
  neededFor: 'taking mappings along when their namespace is deleted',
  otherwise: 'the deletion waits where sources were gone before their mapping',
};
const migrateFromGo: Purpose = {
  name: 'take-over',
  neededFor: "taking over from SAP's Go provider",
  otherwise: 'what the other provider left stays, and does no harm',
};

export const inventoryRights: readonly RequiredRight[] = [
  ...rightsFor(kubeconfigs, secrets, ['get', 'watch']),
  ...rightsFor(localSources, configMaps, ['get', 'watch']),
  ...rightsFor(localSources, serviceInstances, ['get', 'watch']),
  ...rightsFor(localSources, serviceBindings, ['get', 'watch']),
  // A dry run, which tells whether the namespace takes anything new.
  ...rightsFor(namespaceDeletion, configMaps, ['create']),
  ...rightsFor(migrateFromGo, kymaInstanceMappingTypes.legacy, ['patch'], 'status'),
  ...rightsFor(migrateFromGo, instanceMappings, ['delete']),
  ...rightsFor(migrateFromGo, secrets, ['delete']),
];
