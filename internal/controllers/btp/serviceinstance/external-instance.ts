import type {
  ServiceManagerClient,
  ServiceInstance as SmInstance,
} from '../../../clients/service-manager/index.ts';
import { type ExternalResource, stateOf } from '../operations/external-resource.ts';
import { deleteOwn } from '../operations/own-resources.ts';
import { setStatus } from '../operations/run.ts';
import { unwatchSecrets } from '../watched-secrets/watched-secrets.ts';
import { type InstanceRun, instanceIDOf, type UnconnectedInstanceRun } from './instance-run.ts';
import { findInstances } from './sm-requests.ts';
import { isOutdated } from './spec/spec-hash.ts';

/** The run with the instance in Service Manager. */
export function withInstance(run: UnconnectedInstanceRun, client: ServiceManagerClient): InstanceRun {
  const { object: instance, context } = run;
  const read = () => readInstance({ ...run, client });
  const external: ExternalResource = {
    collection: 'service_instances',
    id: () => instanceIDOf(instance),
    setID: (instanceID) => setInstanceID(run, instanceID),
    find: () => findInstances({ ...run, client }),
    state: async () => stateOf(await read()),
    onSucceeded: async (type) => {
      if (type === 'create') {
        const subaccountID = (await read())?.subaccountID ?? instance.status?.subaccountID;
        setStatus(instance, { subaccountID });
      }
      return { polled: true, outdated: isOutdated(instance) };
    },
    delete: (id, options) =>
      deleteOwn(
        run,
        id,
        () => client.getInstance(id, context),
        () => client.deleteInstance(id, options),
      ),
    failureText: ({ errorDescription }) => errorDescription,
    cleanUp: cleanUpOf(run),
  };
  return { ...run, client, external };
}

/** The instance in Service Manager by the ID in the status; undefined if it belongs to another namespace. */
export async function readInstance({
  object: instance,
  client,
  ownResources,
  context,
}: Pick<InstanceRun, 'object' | 'client' | 'ownResources' | 'context'>): Promise<SmInstance | undefined> {
  const found = await client.getInstance(instanceIDOf(instance), context);
  return ownResources.own(instance.metadata.namespace, found);
}

/** Records in memory the ID of an instance that was created or found by its identity. */
export function setInstanceID(
  { object, ownResources }: UnconnectedInstanceRun,
  instanceID: string | undefined,
): void {
  if (instanceID !== undefined) ownResources.created(object.metadata.namespace, instanceID);
  setStatus(object, { instanceID });
}

/** Removes the marks from Secrets with parameters. */
export const cleanUpOf =
  ({ object, context }: UnconnectedInstanceRun): ExternalResource['cleanUp'] =>
  () =>
    unwatchSecrets(object, [], context);
