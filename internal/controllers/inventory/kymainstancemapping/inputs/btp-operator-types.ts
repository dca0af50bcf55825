import type { ResourceType } from '../../../../kube/object/resource-type.ts';

/** Kinds of the SAP BTP service operator. They are only read, and each field is checked. */
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
