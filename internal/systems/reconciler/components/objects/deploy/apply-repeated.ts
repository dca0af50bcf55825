import { UPDATE_MANAGER } from '../../../../../framework/kube/apply/owned-fields.ts';
import type { KubeClient } from '../../../../../framework/kube/client/client.ts';
import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
import type { ResourceType } from '../../../../../framework/kube/object/resource-type.ts';
import { entriesOf, FIELD_MANAGER, writeManagedFields } from '../managed-fields.ts';
import { type RepeatedItems, withoutRepetitions, withRepetitions } from './repeated-items.ts';

interface ApplyRepeatedOptions {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly repeated: readonly RepeatedItems[];
  readonly signal: AbortSignal;
}

/**
 * Applies an object whose lists have items with the same key. Server-side apply cannot: it says in a dry run what becomes of the
 * object without repetitions, which are added to its answer. One request writes all of that, so that pods are replaced once; a
 * second one gives the fields to the owners that the dry run names.
 *
 * @throws `conflict` if the object was changed meanwhile
 */
export async function applyRepeated(
  client: KubeClient,
  { type, object, repeated, signal }: ApplyRepeatedOptions,
): Promise<KubeObject> {
  const planned = await client.apply(type, withoutRepetitions(object, repeated), {
    fieldManager: FIELD_MANAGER,
    force: true,
    dryRun: true,
    signal,
  });
  const whole = withRepetitions(planned, object, repeated);
  const { managedFields: _, resourceVersion, uid, ...metadata } = whole.metadata;
  const written =
    resourceVersion === undefined || resourceVersion === ''
      ? await client.create(type, { ...whole, metadata }, { signal })
      : await client.update(
          type,
          { ...whole, metadata: { ...metadata, resourceVersion, ...(uid && { uid }) } },
          { signal },
        );
  return await writeManagedFields(client, type, written, { managedFields: ownersIn(planned), signal });
}

/** Without this program as an author of updates: an attempt that ended before the second request has made it one. */
const ownersIn = (planned: KubeObject): readonly unknown[] =>
  entriesOf(planned)
    .filter(
      ({ manager, operation, subresource }) =>
        !(manager === UPDATE_MANAGER && operation === 'Update' && subresource === ''),
    )
    .map(({ raw }) => raw);
