import { type Context, healthy } from '../context.ts';
import { clusterID, databases, putCredentials } from '../environment/databases.ts';
import type { Step } from '../step.ts';

const { warehouse } = databases;
const { instanceID } = warehouse;
const mapping = { platform: 'kubernetes', primaryID: clusterID, secondaryID: warehouse.namespace };

/** The client behind the last call that HANA Cloud granted: an identifier, not a secret. */
const lastClient = ({ simulator }: Context, route: 'list' | 'create'): string =>
  simulator
    .requests({ instance: instanceID, route })
    .filter(({ status = 0 }) => status < 300)
    .at(-1)?.clientID ?? '';

/** Credentials change while a mapping is Ready, and a third party changes the mapping. */
export const credentials: readonly Step[] = [
  {
    title: 'Credentials are rotated and the old ones revoked: the next reconcile goes with the new ones',
    run: async (context) => {
      const before = lastClient(context, 'list');
      const { store } = context.simulator;
      const rotated = await context.simulator.rotateCredentials(instanceID, { revokeOld: true });
      await putCredentials(context.kyma, warehouse, rotated);
      await context.now({
        what: 'whether HANA Cloud still knows the old client',
        is: 'no',
        actual: () => (store.client(before) === undefined ? 'no' : 'yes'),
      });
      await context.requestReconcile('warehouse');
      await context.until({
        what: 'the client behind the last list of mappings',
        is: 'a new one, known to HANA Cloud',
        actual: () => {
          const client = lastClient(context, 'list');
          return client !== before && store.client(client) !== undefined
            ? 'a new one, known to HANA Cloud'
            : client;
        },
      });
      const actual = () => context.conditions('warehouse');
      await context.until({ what: 'the conditions of warehouse', is: healthy, actual });
    },
  },
  {
    title: 'Someone takes isDefault away in HANA Cloud: it is put right, with the new credentials',
    run: async (context) => {
      const { store } = context.simulator;
      const made = lastClient(context, 'create');
      store.removeMapping(instanceID, mapping);
      store.addMapping(instanceID, { ...mapping, isDefault: false });
      await context.requestReconcile('warehouse');
      await context.until({
        what: 'HANA Cloud’s mappings of warehouse-db',
        is: `${clusterID}/analytics (default)`,
        actual: () => context.stored(warehouse),
      });
      await context.now({
        what: 'whether the POST came from another client than the first one',
        is: 'yes',
        actual: () => (lastClient(context, 'create') === made ? 'no' : 'yes'),
      });
      const actual = () => context.conditions('warehouse');
      await context.until({ what: 'the conditions of warehouse', is: healthy, actual });
    },
  },
];
