import {
  type KymaInstanceMapping,
  type KymaInstanceMappingParameters,
  kymaInstanceMapping,
} from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { kubeconfigSecret } from './access.ts';
import { type Database, databases } from './databases.ts';

/** The resources of the demo. All read their sources from the Kyma cluster. */
export const mappings = {
  /** Maps to the namespace of its ServiceInstance. */
  orders: mappingOf('orders', databases.orders),
  /** The same database for a second namespace. */
  checkout: mappingOf('checkout', databases.orders, { targetNamespace: 'checkout' }),
  /** The default of the cluster. */
  warehouse: mappingOf('warehouse', databases.warehouse, { isDefault: true }),
} as const;

export type MappingName = keyof typeof mappings;

function mappingOf(
  name: string,
  { namespace, name: instance, binding }: Database,
  more: Partial<KymaInstanceMappingParameters> = {},
): KymaInstanceMapping {
  return kymaInstanceMapping({
    name,
    spec: {
      forProvider: {
        kymaConnectionRef: { secretRef: kubeconfigSecret },
        serviceInstanceRef: { namespace, name: instance },
        adminBindingRef: { namespace, name: binding },
        ...more,
      },
    },
  });
}
