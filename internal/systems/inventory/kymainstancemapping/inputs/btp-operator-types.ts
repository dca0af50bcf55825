import { serviceBindings as generatedBindings } from '../../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances as generatedInstances } from '../../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { ResourceType } from '../../../../framework/kube/index.ts';

/**
 * Kinds of the SAP BTP service operator, without the types of their fields: a remote cluster may have another version of
 * the operator, so each field is checked.
 */
export const serviceInstances: ResourceType = generatedInstances;
export const serviceBindings: ResourceType = generatedBindings;
