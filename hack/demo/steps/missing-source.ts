import { serviceInstances } from '../../../internal/controllers/inventory/kymainstancemapping/inputs/btp-operator-types.ts';
import { type Context, healthy } from '../context.ts';
import { clusterID, databases, warehouseKey as key, putInstance } from '../environment/databases.ts';
import type { Step } from '../step.ts';

const { warehouse } = databases;
const objectName = `ServiceInstance ${key.namespace}/${key.name}`;

const mappingStays = (context: Context) =>
  context.now({
    what: 'HANA Cloud’s mappings of warehouse-db',
    is: `${clusterID}/analytics (default)`,
    actual: () => context.stored(warehouse),
  });

async function expectDoctorReport(
  context: Context,
  exitCode: number,
  names: readonly string[],
): Promise<void> {
  const report = await context.doctor('warehouse');
  context.show(report.text);
  await context.now({ what: 'doctor’s report', names, actual: () => report.text });
  await context.now({
    what: 'doctor’s exit code',
    is: String(exitCode),
    actual: () => String(report.exitCode),
  });
}

/** A source goes and comes back; doctor before and between. */
export const missingSource: readonly Step[] = [
  {
    title: 'provider-kyma doctor, asked about a healthy mapping',
    run: (context) => expectDoctorReport(context, 0, ['every hop holds']),
  },
  {
    title: `A source is removed (${objectName}): the mapping stays, Synced says what is waited for`,
    run: async (context) => {
      await context.kyma.delete(serviceInstances, key);
      await context.requestReconcile('warehouse');
      await context.until({
        what: 'what warehouse waits for, by the message of Synced',
        is: objectName,
        actual: () => context.waitsFor('warehouse'),
      });
      await context.now({
        what: 'the conditions of warehouse: Ready as last observed',
        is: 'Synced=False Waiting, Ready=True Available',
        actual: () => context.conditions('warehouse'),
      });
      await mappingStays(context);
    },
  },
  {
    title: 'provider-kyma doctor, asked about the broken mapping',
    run: (context) => expectDoctorReport(context, 1, [objectName, 'not found']),
  },
  {
    title: 'The source is brought back: the mapping recovers by itself',
    run: async (context) => {
      await putInstance(context.kyma, warehouse);
      const actual = () => context.conditions('warehouse');
      const seconds = await context.secondsOf(() =>
        context.until({ what: 'the conditions of warehouse', is: healthy, actual }),
      );
      context.print(`recovered ${seconds.toFixed(1)} s after the ServiceInstance was back`);
      await mappingStays(context);
    },
  },
];
