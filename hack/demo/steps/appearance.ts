import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { Context } from '../context.ts';
import { healthy } from '../context.ts';
import { clusterID, databases, putBinding, putClusterID, putInstance } from '../environment/databases.ts';
import { type MappingName, mappings } from '../environment/mappings.ts';
import type { Step } from '../step.ts';

const { orders, warehouse } = databases;
const instanceName = `ServiceInstance ${orders.namespace}/${orders.name}`;
const bindingName = `ServiceBinding ${orders.namespace}/${orders.binding}`;
const configMapName = 'ConfigMap kyma-system/sap-btp-operator-config';

const declare = (context: Context, name: MappingName) =>
  context.management.apply(kymaInstanceMappings, mappings[name]);

const waitsFor = (context: Context, ...objects: string[]) =>
  context.until({
    what: 'what orders waits for, by the message of Synced',
    is: objects.join(', '),
    actual: () => context.waitsFor('orders'),
  });

async function untilReady(context: Context, name: MappingName): Promise<void> {
  const actual = () => context.conditions(name);
  const seconds = await context.secondsOf(() =>
    context.until({ what: `the conditions of ${name}`, is: healthy, actual }),
  );
  context.readyAfter.set(name, seconds);
}

/** Mappings appear: one before its sources, two after theirs. */
export const appearance: readonly Step[] = [
  {
    title: 'A mapping whose sources do not exist waits, names all of them, and HANA Cloud is not asked',
    run: async (context) => {
      await declare(context, 'orders');
      await waitsFor(context, instanceName, bindingName, configMapName);
      const actual = () => context.conditions('orders');
      await context.now({
        what: 'the conditions of orders',
        is: 'Synced=False Waiting, Ready=False Waiting',
        actual,
      });
      await context.now({
        what: 'the requests that HANA Cloud saw',
        is: '0',
        actual: () => String(context.simulator.requests().length),
      });
    },
  },
  {
    title: 'Its sources appear one by one; with the last of them it is Ready',
    run: async (context) => {
      await putClusterID(context.kyma);
      await waitsFor(context, instanceName, bindingName);
      await putInstance(context.kyma, orders);
      await waitsFor(context, bindingName);
      await putBinding(context.kyma, orders, await context.simulator.credentials(orders.instanceID));
      await untilReady(context, 'orders');
      const actual = () => context.stored(orders);
      await context.now({ what: 'HANA Cloud’s mappings of orders-db', is: `${clusterID}/shop`, actual });
    },
  },
  {
    title: 'Two more: the same database for another namespace, and a second database as the default',
    run: async (context) => {
      await putInstance(context.kyma, warehouse);
      await putBinding(context.kyma, warehouse, await context.simulator.credentials(warehouse.instanceID));
      const names = ['checkout', 'warehouse'] as const;
      await Promise.all(
        names.map(async (name) => {
          await declare(context, name);
          await untilReady(context, name);
        }),
      );
      await context.now({
        what: 'HANA Cloud’s mappings of orders-db',
        is: `${clusterID}/checkout, ${clusterID}/shop`,
        actual: () => context.stored(orders),
      });
      await context.now({
        what: 'HANA Cloud’s mappings of warehouse-db',
        is: `${clusterID}/analytics (default)`,
        actual: () => context.stored(warehouse),
      });
    },
  },
];
