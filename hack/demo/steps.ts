import { kymaInstanceMappings } from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { serviceInstances } from '../../internal/systems/inventory/kymainstancemapping/inputs/inputs.ts';
import { chain } from './chain-steps.ts';
import { componentSteps } from './component-steps.ts';
import { type Context, healthy } from './context.ts';
import {
  clusterID,
  type MappingName,
  mappings,
  orders,
  putBinding,
  putClusterID,
  putCredentials,
  putInstance,
  warehouse,
} from './environment/objects.ts';
import { reconcilesIn } from './provider/metrics.ts';
import { runtimeSteps } from './runtime-steps.ts';
import type { Step } from './step.ts';

export interface Section {
  readonly title: string;
  readonly steps: readonly Step[];
  /** Whether the table of mappings is shown after it. */
  readonly overview?: true;
}

const missingInstance = `ServiceInstance ${orders.namespace}/${orders.name}`;
const missingBinding = `ServiceBinding ${orders.namespace}/${orders.binding}`;
const missingConfigMap = 'ConfigMap kyma-system/sap-btp-operator-config';

const declare = (context: Context, name: MappingName) =>
  context.management.apply(kymaInstanceMappings, mappings[name]);

const untilWaitsFor = (context: Context, name: MappingName, ...objects: string[]) =>
  context.until(
    `what ${name} waits for, by the message of Synced`,
    () => context.waitsFor(name),
    objects.join(', '),
  );

async function untilReady(context: Context, name: MappingName): Promise<void> {
  context.readyAfter.set(name, await context.untilHealthy(name));
}

/** Mappings appear: one before its sources, two after theirs. */
const appearance: readonly Step[] = [
  {
    title: 'A mapping whose sources do not exist waits, names all of them, and HANA Cloud is not asked',
    run: async (context) => {
      await declare(context, 'orders');
      await untilWaitsFor(context, 'orders', missingInstance, missingBinding, missingConfigMap);
      const expected = 'Synced=False Waiting, Ready=False Waiting';
      await context.now('the conditions of orders', () => context.conditions('orders'), expected);
      const requests = () => String(context.simulator.requests().length);
      await context.now('the requests that HANA Cloud saw', requests, '0');
    },
  },
  {
    title: 'Its sources appear one by one; with the last of them it is Ready',
    run: async (context) => {
      const { kyma, simulator } = context;
      await putClusterID(kyma);
      await untilWaitsFor(context, 'orders', missingInstance, missingBinding);
      await putInstance(kyma, orders);
      await untilWaitsFor(context, 'orders', missingBinding);
      await putBinding(kyma, orders, await simulator.credentials(orders.instanceID));
      await untilReady(context, 'orders');
      await context.stored(orders, `${clusterID}/shop`);
    },
  },
  {
    title: 'Two more: the same database for another namespace, and a second database as the default',
    run: async (context) => {
      const { kyma, simulator } = context;
      await putInstance(kyma, warehouse);
      await putBinding(kyma, warehouse, await simulator.credentials(warehouse.instanceID));
      const appear = async (name: MappingName) => {
        await declare(context, name);
        await untilReady(context, name);
      };
      await Promise.all([appear('checkout'), appear('warehouse')]);
      await context.stored(orders, `${clusterID}/checkout, ${clusterID}/shop`);
      await context.stored(warehouse, `${clusterID}/analytics (default)`);
    },
  },
];

const removed = { namespace: warehouse.namespace, name: warehouse.name };
const removedName = `ServiceInstance ${removed.namespace}/${removed.name}`;

async function expectDoctorReport(context: Context, exitCode: number, texts: readonly string[]) {
  const report = await context.doctor('warehouse');
  context.show(report.text);
  await context.now('doctor’s report', () => report.text, texts);
  await context.now('doctor’s exit code', () => String(report.code), String(exitCode));
}

/** A source goes and comes back; doctor before and between. */
const missingSource: readonly Step[] = [
  {
    title: 'provider-kyma doctor, asked about a healthy mapping',
    run: (context) => expectDoctorReport(context, 0, ['every check succeeds']),
  },
  {
    title: `A source is removed (${removedName}): the mapping stays, Synced says what is waited for`,
    run: async (context) => {
      await context.kyma.delete(serviceInstances, removed);
      await context.requestReconcile('warehouse');
      await untilWaitsFor(context, 'warehouse', removedName);
      const what = 'the conditions of warehouse: Ready as last observed';
      const expected = 'Synced=False Waiting, Ready=True Available';
      await context.now(what, () => context.conditions('warehouse'), expected);
      await context.stored(warehouse, `${clusterID}/analytics (default)`);
    },
  },
  {
    title: 'provider-kyma doctor, asked about the broken mapping',
    run: (context) => expectDoctorReport(context, 1, [removedName, 'not found']),
  },
  {
    title: 'The source is brought back: the mapping recovers',
    run: async (context) => {
      await putInstance(context.kyma, warehouse);
      const seconds = await context.untilHealthy('warehouse');
      context.print(`recovered ${seconds.toFixed(1)} s after the ServiceInstance was back`);
      await context.stored(warehouse, `${clusterID}/analytics (default)`);
    },
  },
];

/** Credentials change while a mapping is Ready, and a third party changes the mapping. */
const credentials: readonly Step[] = [
  {
    title: 'Credentials are rotated and the old ones revoked: the next reconcile goes with the new ones',
    run: async (context) => {
      const { simulator, kyma, now, isKnown, requestReconcile, untilHealthy } = context;
      const before = context.lastClient(warehouse.instanceID, 'list');
      const rotated = await simulator.rotateCredentials(warehouse.instanceID, { revokeOld: true });
      await putCredentials(kyma, warehouse, rotated);
      await now(
        'whether HANA Cloud still knows the old client',
        () => (isKnown(before) ? 'yes' : 'no'),
        'no',
      );
      await requestReconcile('warehouse');
      await context.untilNewClient(warehouse.instanceID, before);
      await untilHealthy('warehouse');
    },
  },
  {
    title: 'Someone takes isDefault away in HANA Cloud: it is put right, with the new credentials',
    run: async (context) => {
      const { store } = context.simulator;
      const { instanceID, namespace } = warehouse;
      const mapping = { platform: 'kubernetes', primaryID: clusterID, secondaryID: namespace };
      const before = context.lastClient(instanceID, 'create');
      store.removeMapping(instanceID, mapping);
      store.addMapping(instanceID, { ...mapping, isDefault: false });
      await context.requestReconcile('warehouse');
      await context.stored(warehouse, `${clusterID}/analytics (default)`, context.until);
      const what = 'whether the POST came from another client than the first one';
      await context.now(
        what,
        () => (context.lastClient(instanceID, 'create') === before ? 'no' : 'yes'),
        'yes',
      );
      await context.untilHealthy('warehouse');
    },
  },
];

/** A third party deletes a mapping in HANA Cloud; then a resource is deleted, and its mapping with it. */
const departure: readonly Step[] = [
  {
    title: 'A third party deletes the mapping in HANA Cloud: it is restored',
    run: async (context) => {
      const { instanceID, namespace } = orders;
      context.simulator.store.removeMapping(instanceID, { primaryID: clusterID, secondaryID: namespace });
      await context.stored(orders, `${clusterID}/checkout`);
      await context.requestReconcile('orders');
      const startedAt = performance.now();
      await context.stored(orders, `${clusterID}/checkout, ${clusterID}/shop`, context.until);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      context.print(`restored ${seconds} s after a reconcile was asked for; a poll finds it within a minute`);
      await context.untilHealthy('orders');
    },
  },
  {
    title:
      'A resource is deleted: its mapping goes from HANA Cloud first, then the object; its neighbour stays',
    run: async ({ management, deleteAndWait, now, stored, conditions }) => {
      await deleteAndWait(management, kymaInstanceMappings, { name: 'checkout' });
      await stored(orders, `${clusterID}/shop`);
      await now('the conditions of orders', () => conditions('orders'), healthy);
    },
  },
];

/** What operators use. */
const operation: readonly Step[] = [
  {
    title: 'The metrics page counts the reconciles',
    run: async ({ provider, print, now }) => {
      const { total, panics, terminalErrors } = reconcilesIn(await provider.page('/metrics'));
      print(`${total} reconciles at ${provider.url}/metrics`);
      const expected = 'some, none of which ended in a fault of the provider’s own or for good';
      const isExpected = total > 0 && panics === 0 && terminalErrors === 0;
      const found = isExpected ? expected : `${total}, ${panics} panics, ${terminalErrors} terminal errors`;
      await now('the reconciles that the page counts', () => found, expected);
    },
  },
  {
    title: 'HANA Cloud and Service Manager saw no request against their contracts',
    run: ({ simulator, serviceManager, now }) => {
      const violations = () => [...simulator.violations(), ...serviceManager.violations()].join('; ');
      return now('the violations of the contracts', violations, '');
    },
  },
];

/** What the demo shows once the environment stands. Each step finds what those before it left. */
export const sections: readonly Section[] = [
  { title: 'Mappings appear', steps: appearance, overview: true },
  { title: 'A source goes and comes back', steps: missingSource },
  { title: 'Credentials and drift', steps: credentials },
  { title: 'The mapping goes, the resource goes', steps: departure },
  { title: 'Instance, binding, Secret, mapping: the whole chain', steps: chain },
  { title: 'A Runtime goes to a mapped namespace', steps: runtimeSteps },
  { title: 'Components of Kyma: the mothership and a component reconciler', steps: componentSteps },
  { title: 'In operation', steps: operation, overview: true },
];
