import type { ResourceType } from '../../../../kube/object/resource-type.ts';

/** The SAP BTP service operator's kinds, read only: what is needed of them is checked field by field. */
export const serviceInstances: ResourceType = {
  group: 'services.cloud.sap.com',
  version: 'v1',
  kind: 'ServiceInstance',
  plural: 'serviceinstances',
  namespaced: true,
};

export const serviceBindings: ResourceType = {
  group: 'services.cloud.sap.com',
  version: 'v1',
  kind: 'ServiceBinding',
  plural: 'servicebindings',
  namespaced: true,
};
