import { messageOf } from '../../../../../framework/base/errors/errors.ts';
import { valueAt } from '../../../../../framework/base/json/json-field.ts';
import type { KubeClient } from '../../../../../framework/kube/client/client.ts';
import { type KubeObject, keyOf } from '../../../../../framework/kube/object/object.ts';
import type { ResourceType } from '../../../../../framework/kube/object/resource-type.ts';
import { entriesOf, isOwn, writeManagedFields } from '../managed-fields.ts';

/** The fields were applied in another version of the API, which does not have a field that is applied now. */
const OTHER_VERSION = 'last applied version';

/**
 * Records fields that this program owns as those of the version in which the object is applied now, if the API server refused an
 * apply because of the version before. It would compare both in the old version, which has no fields that are new.
 *
 * @returns whether there were any
 * @throws `conflict`, or `terminal` as the refusal of a patch, if the object was changed since
 */
export async function moveFields(
  client: Pick<KubeClient, 'getMetadata' | 'jsonPatch'>,
  type: ResourceType,
  {
    object,
    refusal,
    signal,
  }: { readonly object: KubeObject; readonly refusal: unknown; readonly signal: AbortSignal },
): Promise<boolean> {
  if (!messageOf(refusal).includes(OTHER_VERSION)) return false;
  const { apiVersion } = object;
  const live = await client.getMetadata(type, keyOf(object), { signal });
  const entries = entriesOf(live);
  const isOld = (raw: unknown) => valueAt(raw, ['apiVersion']) !== apiVersion;
  if (!entries.some((entry) => isOwn(entry) && isOld(entry.raw))) return false;
  const managedFields = entries.map((entry) =>
    isOwn(entry) ? { ...(entry.raw as object), apiVersion } : entry.raw,
  );
  await writeManagedFields(client, type, live, { managedFields, signal });
  return true;
}
