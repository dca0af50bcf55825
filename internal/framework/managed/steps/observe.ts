import { messageOf, wrap } from '../../base/errors/errors.ts';
import { cloneJson, jsonEqual } from '../../base/json/json-value.ts';
import { done, type ReconcileResult } from '../../controller/reconcile-result.ts';
import { ownedFields } from '../../kube/apply/owned-fields.ts';
import { changedFields, mergePatch } from '../../kube/apply/patches.ts';
import { keyOf, wasDeleted } from '../../kube/object/object.ts';
import type { ExternalClient, Observation } from '../kind/external-client.ts';
import { nameAsExternalName } from '../kind/managed-kind.ts';
import { createReferenceResolver } from '../references/reference-resolver.ts';
import { differsFromStored, reconcilePaused, upToDatePaused } from '../resource/conditions.ts';
import type { Managed } from '../resource/managed.ts';
import { reconcileRequestFrom, recordedExternalName } from '../resource/meta.ts';
import {
  messagePaused,
  messagePausedDeletion,
  messageRequestHandled,
  reasonCannotDisconnect,
  reasonPaused,
  reasonRequestHandled,
} from './messages/messages.ts';
import { conclude, type Reconciliation } from './reconciliation.ts';

/**
 * Sets the conditions of a paused resource and records one event. A blocked deletion is stated, because it would look
 * like an error.
 */
export function pause<R extends Managed>(reconciliation: Reconciliation<R>): Promise<ReconcileResult> {
  const isBeingDeleted = wasDeleted(reconciliation.copy.object);
  const synced = reconcilePaused(isBeingDeleted ? messagePausedDeletion : undefined);
  if (differsFromStored(reconciliation.copy.object, synced)) {
    reconciliation.events.recordWithStatus(
      'Normal',
      reasonPaused,
      isBeingDeleted ? messagePausedDeletion : messagePaused,
    );
  }
  return conclude(reconciliation, done, synced, upToDatePaused());
}

/** Copies the token of a reconcile request to the status; every status write of this reconcile has it. */
export function acknowledgeRequest<R extends Managed>(reconciliation: Reconciliation<R>): void {
  const { object } = reconciliation.copy;
  const token = reconcileRequestFrom(object);
  if (token === undefined || token === object.status?.lastHandledReconcileAt) return;
  reconciliation.events.recordWithStatus('Normal', reasonRequestHandled, messageRequestHandled);
  object.status = { ...object.status, lastHandledReconcileAt: token };
}

/** Runs the initializers of the kind in order. */
export async function initialize<R extends Managed>({
  kind,
  copy,
  signal,
}: Reconciliation<R>): Promise<void> {
  const store = async () => {
    if (kind.deterministicExternalName) return copy.markChanged();
    try {
      await copy.put(signal);
    } catch (error) {
      throw wrap(error, 'cannot update managed resource');
    }
  };
  for (const run of kind.initializers ?? [nameAsExternalName]) await run(copy.object, store);
}

/** Connects to the external API, and records the use of the provider configuration if the kind has one. */
export async function connect<R extends Managed>(
  reconciliation: Reconciliation<R>,
): Promise<ExternalClient<R>> {
  const { kind, copy } = reconciliation;
  const open = () => openClient(reconciliation);
  try {
    if (kind.configUse === undefined) return await open();
    const close = (client: ExternalClient<R>) => disconnect(reconciliation, client);
    return await kind.configUse.connect(copy.object, { open, close }, reconciliation);
  } catch (error) {
    kind.connectFailed?.(copy.object, error, reconciliation.calls.beside(reconciliation.signal));
    throw error;
  }
}

/** Disconnects a client that Connect returns after its timeout. */
async function openClient<R extends Managed>(reconciliation: Reconciliation<R>): Promise<ExternalClient<R>> {
  let awaited = true;
  try {
    return await reconciliation.calls.read('connect', async (ctx) => {
      const client = await reconciliation.kind.connector.connect(reconciliation.copy.object, ctx);
      if (!awaited) await disconnect(reconciliation, client);
      return client;
    });
  } catch (error) {
    awaited = false;
    throw error;
  }
}

/** Disconnects. An error only records an event. */
export async function disconnect<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
): Promise<void> {
  const ctx = reconciliation.calls.beside(reconciliation.signal);
  for (const side of [reconciliation.kind.connector, client]) {
    try {
      await side.disconnect?.(ctx);
    } catch (error) {
      reconciliation.events.record('Warning', reasonCannotDisconnect, messageOf(error));
    }
  }
}

/** Field manager of resolved fields; the name is that of crossplane-runtime. */
export const referenceFieldManager = 'managed.crossplane.io/api-simple-reference-resolver';

/** Resolves the references of the resource and stores the changes by server-side apply. */
export async function resolveReferences<R extends Managed>(reconciliation: Reconciliation<R>): Promise<void> {
  const { kind, copy, client, signal, objectWatcher } = reconciliation;
  if (kind.resolveReferences === undefined) return;
  const { object } = copy;
  const before = cloneJson(object.spec);
  try {
    const resolver = createReferenceResolver({ client, from: object, signal, objectWatcher });
    await kind.resolveReferences(object, resolver);
  } catch (error) {
    throw wrap(error, 'cannot resolve references');
  }
  if (jsonEqual(before, object.spec)) return;
  const resolved = object.spec;
  try {
    if (copy.hasChanges()) {
      // The response to the apply would overwrite unsaved changes.
      object.spec = before;
      await copy.put(signal);
    }
    object.spec = resolved;
    await copy.apply(await fieldsToApply(reconciliation, before), referenceFieldManager, signal);
  } catch (error) {
    throw wrap(error, 'cannot patch the managed resource via server-side apply');
  }
}

/** The changed fields, and fields resolved before, which the apply would otherwise remove. */
async function fieldsToApply<R extends Managed>(
  { kind, copy, client, signal }: Reconciliation<R>,
  before: R['spec'],
): Promise<object> {
  const { metadata } = await client.get(kind.type, keyOf(copy.object), { signal });
  const { spec } = copy.object;
  const owned = ownedFields({ ...copy.object, metadata }, referenceFieldManager);
  return { spec: mergePatch(owned.spec, changedFields(before, { ...spec })) };
}

/** The observation, and the late-initialized spec if there is one. */
export interface Observed<R extends Managed> {
  readonly observation: Observation;
  readonly lateInitializedSpec?: R['spec'];
}

/**
 * Calls Observe. Its changes of the status stay on the resource. Its changes of the spec are returned separately,
 * because the policies decide whether they are stored. Its annotations are stored with the next write of the object.
 */
export async function observe<R extends Managed>(
  reconciliation: Reconciliation<R>,
  client: ExternalClient<R>,
): Promise<Observed<R>> {
  const { object } = reconciliation.copy;
  const spec = cloneJson(object.spec);
  const observation = await reconciliation.calls.read('observe', (ctx) => client.observe(object, ctx));
  const filled: R['spec'] = object.spec;
  object.spec = spec;
  if (Object.keys(reconciliation.copy.changedAnnotations()).length > 0) reconciliation.copy.markChanged();
  const late = observation.state === 'present' && observation.lateInitialized === true;
  return late ? { observation, lateInitializedSpec: filled } : { observation };
}

/** The external name of the observation, if it differs from the recorded one. */
export function newExternalName(resource: Managed, observation: Observation): string | undefined {
  const { externalName } = observation;
  return externalName === recordedExternalName(resource) ? undefined : externalName;
}
