import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { healthy } from '../context.ts';
import { clusterID, databases } from '../environment/databases.ts';
import type { Step } from '../step.ts';

const { orders } = databases;
const key = { name: 'checkout' };

/** A resource is deleted, and its mapping with it. */
export const deletion: readonly Step[] = [
  {
    title:
      'A resource is deleted: its mapping goes from HANA Cloud first, then the object; its neighbour stays',
    run: async ({ management, until, now, stored, conditions }) => {
      await management.delete(kymaInstanceMappings, key);
      await until({
        what: 'the object checkout on the management cluster',
        is: 'gone',
        actual: async () =>
          (await management.find(kymaInstanceMappings, key)) === undefined ? 'gone' : 'there',
      });
      await now({
        what: 'HANA Cloud’s mappings of orders-db',
        is: `${clusterID}/shop`,
        actual: () => stored(orders),
      });
      await now({ what: 'the conditions of orders', is: healthy, actual: () => conditions('orders') });
    },
  },
];
