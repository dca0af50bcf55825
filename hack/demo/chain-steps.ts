/**
 * Instance, binding, Secret, mapping: one process makes all of them, and each waits for the one before it. Nothing that the
 * mapping reads is made by hand.
 */
import { kymaInstanceMappings } from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { serviceBindings } from '../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { type KubeObject, keyOf, type Secret } from '../../internal/framework/kube/object/object.ts';
import { secrets } from '../../internal/framework/kube/object/resource-type.ts';
import type { Context } from './context.ts';
import {
  access,
  accessBinding,
  accessSecret,
  billing,
  createAccess,
  database,
  managementClusterID,
} from './environment/chain-objects.ts';
import type { Step } from './step.ts';

const name = 'billing';
const mappingText = `${managementClusterID}/billing`;

const secretOf = ({ management }: Context) => management.find<Secret>(secrets, accessSecret);

/** The ID of the database in Service Manager, which HANA Cloud knows it by. */
async function databaseID({ management }: Context): Promise<string> {
  return (await management.get(serviceInstances, keyOf(database))).status?.instanceID ?? '';
}

async function untilMapped(context: Context): Promise<void> {
  context.readyAfter.set(name, await context.untilHealthy(name));
  await context.stored({ name: database.metadata.name, instanceID: await databaseID(context) }, mappingText);
}

const isOwned = (secret: Secret | undefined, owner: KubeObject): boolean =>
  secret?.metadata.ownerReferences?.some(
    ({ kind, name, controller }) =>
      controller === true && kind === owner.kind && name === owner.metadata.name,
  ) ?? false;

export const chain: readonly Step[] = [
  {
    title:
      'A database, access to its API, a binding and a mapping are created at once: the mapping becomes Ready last',
    run: async (context) => {
      await context.management.apply(kymaInstanceMappings, billing);
      await createAccess(context.management);
      await untilMapped(context);
      const owner = async () => (isOwned(await secretOf(context), accessBinding) ? 'the binding' : 'another');
      await context.now('who made the Secret that the mapping reads', owner, 'the binding');
    },
  },
  {
    title:
      'The binding is rotated: the mapping’s next reconcile goes with the new credentials, and the old ones end',
    run: async (context) => {
      const { management, until } = context;
      const instanceID = await databaseID(context);
      const before = context.lastClient(instanceID, 'list');
      const annotations = { 'services.cloud.sap.com/forceRotate': 'true' };
      await management.patch(serviceBindings, keyOf(accessBinding), { metadata: { annotations } });
      const rotated = async () => {
        const { status } = await management.get(serviceBindings, keyOf(accessBinding));
        return status?.lastCredentialsRotationTime === undefined ? 'not yet' : 'rotated';
      };
      await until('the binding', rotated, 'rotated');
      await context.requestReconcile(name);
      await context.untilNewClient(instanceID, before);
      await untilMapped(context);
      const old = () => (context.isKnown(before) ? 'yes' : 'no');
      await until('whether HANA Cloud knows the old client after its time to live', old, 'no');
    },
  },
  {
    title: 'Deleted in the reverse order, nothing is left in HANA Cloud and Service Manager',
    run: async (context) => {
      const { management, serviceManager, simulator, now, deleteAndWait } = context;
      const instanceID = await databaseID(context);
      await deleteAndWait(management, kymaInstanceMappings, { name });
      await context.stored({ name: database.metadata.name, instanceID }, '');
      await deleteAndWait(management, serviceBindings, keyOf(accessBinding));
      await deleteAndWait(management, serviceInstances, keyOf(access));
      await deleteAndWait(management, serviceInstances, keyOf(database));
      const left = () => {
        const { store } = serviceManager;
        return [...store.bindings(), ...store.instances()].map((object) => object.name).join(', ');
      };
      await now('what Service Manager has', left, '');
      const known = () => (simulator.store.hasInstance(instanceID) ? 'there' : 'gone');
      await now('the database in HANA Cloud', known, 'gone');
    },
  },
];
