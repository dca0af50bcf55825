import type { ServiceManagerClient } from '../../../clients/service-manager/index.ts';
import { type ExternalResource, stateOf } from '../operations/external-resource.ts';
import { setStatus } from '../operations/run.ts';
import { unwatchSecrets } from '../watched-secrets/watched-secrets.ts';
import { type InstanceRun, instanceIDOf, type UnconnectedInstanceRun } from './instance-run.ts';
import { findInstances } from './sm-requests.ts';
import { isOutdated } from './spec/spec-hash.ts';

/** The run with the instance in Service Manager. */
export function withInstance(run: UnconnectedInstanceRun, client: ServiceManagerClient): InstanceRun {
  const { object: instance, context } = run;
  const read = () => client.getInstance(instanceIDOf(instance), context);
  const external: ExternalResource = {
    collection: 'service_instances',
    id: () => instanceIDOf(instance),
    setID: (instanceID) => setStatus(instance, { instanceID }),
    find: () => findInstances({ ...run, client }),
    state: async () => stateOf(await read()),
    onSucceeded: async (type) => {
      if (type === 'create') {
        const subaccountID = (await read())?.subaccountID ?? instance.status?.subaccountID;
        setStatus(instance, { subaccountID });
      }
      return { polled: true, outdated: isOutdated(instance) };
    },
    delete: (id, options) => client.deleteInstance(id, options),
    failureText: ({ errorDescription }) => errorDescription,
    cleanUp: cleanUpOf(run),
  };
  return { ...run, client, external };
}

/** Removes the marks from Secrets with parameters. */
export const cleanUpOf =
  ({ object, context }: UnconnectedInstanceRun): ExternalResource['cleanUp'] =>
  () =>
    unwatchSecrets(object, [], context);
