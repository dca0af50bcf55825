import { healthy } from '../context.ts';
import { clusterID, databases } from '../environment/databases.ts';
import type { Step } from '../step.ts';

const { orders } = databases;

/** A third party deletes a mapping in HANA Cloud. */
export const thirdParty: readonly Step[] = [
  {
    title: 'A third party deletes the mapping in HANA Cloud: it is restored',
    run: async (context) => {
      const actual = () => context.stored(orders);
      const what = 'HANA Cloud’s mappings of orders-db';
      const { instanceID, namespace } = orders;
      context.simulator.store.removeMapping(instanceID, { primaryID: clusterID, secondaryID: namespace });
      await context.now({ what, is: `${clusterID}/checkout`, actual });
      await context.requestReconcile('orders');
      const seconds = await context.secondsOf(() =>
        context.until({ what, is: `${clusterID}/checkout, ${clusterID}/shop`, actual }),
      );
      context.print(
        `restored ${seconds.toFixed(1)} s after a reconcile was asked for; a poll finds it within a minute`,
      );
      await context.until({
        what: 'the conditions of orders',
        is: healthy,
        actual: () => context.conditions('orders'),
      });
    },
  },
];
