import { ProviderError } from '../../../framework/base/index.ts';

import { type ExternalResource, type MadeResource, stateOf } from '../operations/external-resource.ts';
import {
  identityOf,
  looksAt,
  mayHaveBeenSent,
  recordViewer,
  setStatus,
  unrecordedResource,
} from '../operations/run.ts';
import type { ServiceManagerClient, ServiceBinding as SmBinding } from '../service-manager/index.ts';
import type { ServiceInstance } from '../serviceinstance/resource.ts';
import { externalNameOf } from '../status/service-resource.ts';
import { type BindingRun, bindingIDOf, remember, type UnconnectedBindingRun } from './binding-run.ts';
import { knownSecret, writeSecret } from './bound-secret.ts';
import type { ServiceBinding } from './resource.ts';
import { deleteSecret } from './secret/secret-store.ts';

/** The run with the binding in Service Manager. */
export function withBinding(
  run: UnconnectedBindingRun,
  instance: ServiceInstance | undefined,
  client: ServiceManagerClient,
): BindingRun {
  const { object: binding, context } = run;
  const find = () => findBindings(connected);
  const looks = (id: string) =>
    looksAt(
      connected,
      () => client.getBinding(id, context),
      () => client.isBindingListed(id, context),
    );
  const external: ExternalResource = {
    collection: 'service_bindings',
    id: () => bindingIDOf(binding),
    setID: (bindingID) => setBindingID(connected, bindingID),
    find,
    looks,
    made: () => madeBinding(connected),
    state: async () => stateOf(await readBinding(connected)),
    onSucceeded: async (type) => {
      if (type !== 'create') return { polled: true };
      const found = await readBinding(connected);
      if (found === undefined)
        throw new ProviderError(
          'not-found',
          `cannot read service binding ${bindingIDOf(binding)}: not found`,
        );
      recordSubaccount(binding, found);
      await context.guard.beforeWrite();
      await writeSecret(connected, found);
      return {};
    },
    remove: (id, options) => client.deleteBinding(id, options),
    failureText: ({ description, errorDescription }) => description || errorDescription,
    cleanUp: cleanUpOf(run),
  };
  const connected: BindingRun = { ...run, instance, client, external };
  return connected;
}

/** A new binding is created with the credentials that made its instance. */
function madeBinding(run: BindingRun): MadeResource | undefined {
  const { object: binding, instance, client, external, context } = run;
  const { status } = binding;
  if (status?.bindingID) {
    const record = (status.viewer || status.subaccountID ? status : instance?.status) ?? {};
    return { id: status.bindingID, record, look: external.looks(status.bindingID)[0] };
  }
  if (instance?.status?.instanceID) {
    const { instanceID } = instance.status;
    const [look] = looksAt(
      { ...run, object: instance },
      () => client.getInstance(instanceID, context),
      () => client.isInstanceListed(instanceID, context),
    );
    return { id: instanceID, record: instance.status, look };
  }
  return mayHaveBeenSent(run) ? unrecordedResource(external.find) : undefined;
}

/** Deletes the Secret. */
export const cleanUpOf =
  ({ object, context }: UnconnectedBindingRun): ExternalResource['cleanUp'] =>
  async () =>
    void (await deleteSecret(object, context, knownSecret(object, context)));

/** Records in memory the ID of a binding that was created or found by its identity. */
export function setBindingID(
  { object, client: { viewer }, ownResources }: BindingRun,
  bindingID: string | undefined,
): void {
  if (bindingID !== undefined) ownResources.created(object.metadata.namespace, bindingID, viewer);
  setStatus(object, { bindingID, viewer: bindingID === undefined ? undefined : viewer });
}

/** One whose labels do not name the subaccount keeps the recorded one. */
export function recordSubaccount(binding: ServiceBinding, { subaccountID }: SmBinding): void {
  if (subaccountID !== undefined) setStatus(binding, { subaccountID });
}

/** The binding in Service Manager by its ID; undefined if it belongs to another namespace. */
export async function readBinding(run: BindingRun): Promise<SmBinding | undefined> {
  const found = await run.client.getBinding(bindingIDOf(run.object), run.context);
  remember(run, { observedAt: run.context.clock.monotonic() });
  const own = run.ownResources.own(run.object.metadata.namespace, found, run.client.viewer);
  if (own !== undefined) recordViewer(run);
  return own;
}

/**
 * The binding in Service Manager by external name, identity in Kubernetes and instance: an object of the same identity may have been bound
 * to another instance before. Several are none: none of them is certain.
 */
export async function findBinding(run: BindingRun, instanceID: string): Promise<SmBinding | undefined> {
  const found = (await findBindings(run)).filter(
    ({ serviceInstanceID = instanceID }) => serviceInstanceID === instanceID,
  );
  return found.length === 1 ? found[0] : undefined;
}

/** The binding of this ID, if its identity in Kubernetes is that of the object and it belongs to the same instance. */
export async function findReplaced(
  run: BindingRun,
  instanceID: string,
  bindingID: string,
): Promise<SmBinding | undefined> {
  const found = await findBindings(run);
  remember(run, { observedAt: run.context.clock.monotonic() });
  return found.find(({ id, serviceInstanceID }) => id === bindingID && serviceInstanceID === instanceID);
}

function findBindings(run: BindingRun): Promise<readonly SmBinding[]> {
  const query = { name: externalNameOf(run.object), identity: identityOf(run) };
  return run.client.findBindings(query, run.context);
}
