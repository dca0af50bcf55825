import type {
  ServiceBinding,
  ServiceBindingSpec,
} from '../../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import type { ServiceInstance, ServiceInstanceSpec } from '../../serviceinstance/resource.ts';
import type { SecretContent } from './assemble-content.ts';

/** A ServiceBinding that has a uid, as stored. */
export function sampleBinding(
  spec: Partial<ServiceBindingSpec> = {},
  metadata: Partial<ServiceBinding['metadata']> = {},
): ServiceBinding {
  return {
    apiVersion: 'services.cloud.sap.com/v1',
    kind: 'ServiceBinding',
    metadata: { name: 'orders-db', namespace: 'shop', uid: 'uid-b', generation: 1, ...metadata },
    spec: { serviceInstanceName: 'orders', externalName: 'orders-db', secretName: 'orders-secret', ...spec },
  };
}

/** An instance of the offering hana-cloud with the tags `test` and `custom-tag`. */
export function boundInstance(
  spec: Partial<ServiceInstanceSpec> = {},
  metadata: Partial<ServiceInstance['metadata']> = {},
): ServiceInstance {
  return {
    apiVersion: 'services.cloud.sap.com/v1',
    kind: 'ServiceInstance',
    metadata: { name: 'orders', namespace: 'shop', uid: 'uid-i', ...metadata },
    spec: {
      serviceOfferingName: 'hana-cloud',
      servicePlanName: 'hana',
      externalName: 'orders-external',
      customTags: ['custom-tag'],
      ...spec,
    },
    status: { conditions: [], instanceID: 'id-1', tags: ['test'] },
  };
}

/** Decoded data of a Secret. */
export const decoded = ({ data }: Pick<SecretContent, 'data'>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]),
  );
