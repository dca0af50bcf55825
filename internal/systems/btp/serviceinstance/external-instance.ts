import { type ExternalResource, stateOf } from '../operations/external-resource.ts';
import { looksAt, mayHaveBeenSent, recordViewer, setStatus, unrecordedResource } from '../operations/run.ts';
import type { ServiceManagerClient, ServiceInstance as SmInstance } from '../service-manager/index.ts';
import { unwatchSecrets } from '../watched-secrets/watched-secrets.ts';
import { type InstanceRun, instanceIDOf, type UnconnectedInstanceRun } from './instance-run.ts';
import { findInstances } from './sm-requests.ts';
import { contentHash, isOutdated } from './spec-hash.ts';

/** The run with the instance in Service Manager. */
export function withInstance(run: UnconnectedInstanceRun, client: ServiceManagerClient): InstanceRun {
  const { object: instance, context } = run;
  const read = () => readInstance(connected);
  const find = () => findInstances(connected);
  const looks = (id: string) =>
    looksAt(
      connected,
      () => client.getInstance(id, context),
      () => client.isInstanceListed(id, context),
    );
  const external: ExternalResource = {
    collection: 'service_instances',
    id: () => instanceIDOf(instance),
    setID: (instanceID) => setInstanceID(connected, instanceID),
    find,
    looks,
    made: () => {
      const id = instanceIDOf(instance);
      if (id !== '') return { id, record: instance.status ?? {}, look: looks(id)[0] };
      return mayHaveBeenSent(run) ? unrecordedResource(find) : undefined;
    },
    state: async () => stateOf(await read()),
    onSucceeded: async (type) => {
      if (type === 'create') {
        const subaccountID = (await read())?.subaccountID ?? instance.status?.subaccountID;
        setStatus(instance, { subaccountID });
      }
      const outdated = isOutdated(instance);
      // What was sent, if it is the present spec; else its hash with the user is what is known.
      setStatus(instance, {
        acceptedSpec: outdated ? instance.status?.hashedSpec : contentHash(instance),
      });
      return { polled: true, outdated };
    },
    remove: (id, options) => client.deleteInstance(id, options),
    failureText: ({ errorDescription }) => errorDescription,
    cleanUp: cleanUpOf(run),
  };
  const connected: InstanceRun = { ...run, client, external };
  return connected;
}

/** The instance in Service Manager by the ID in the status; undefined if it belongs to another namespace. */
export async function readInstance(run: InstanceRun): Promise<SmInstance | undefined> {
  const { object: instance, client, ownResources, context } = run;
  const found = await client.getInstance(instanceIDOf(instance), context);
  const own = ownResources.own(instance.metadata.namespace, found, client.viewer);
  if (own !== undefined) recordViewer(run);
  return own;
}

/** Records in memory the ID of an instance that was created or found by its identity. */
export function setInstanceID(
  { object, client: { viewer }, ownResources }: InstanceRun,
  instanceID: string | undefined,
): void {
  if (instanceID !== undefined) ownResources.created(object.metadata.namespace, instanceID, viewer);
  setStatus(object, { instanceID, viewer: instanceID === undefined ? undefined : viewer });
}

/** Removes the marks from Secrets with parameters. */
export const cleanUpOf =
  ({ object, context }: UnconnectedInstanceRun): ExternalResource['cleanUp'] =>
  () =>
    unwatchSecrets(object, [], context);
