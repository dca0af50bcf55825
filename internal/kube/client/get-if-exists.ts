import { findCause, messageOf } from '../../base/errors/errors.ts';
import { type Existence, isProvedAbsent } from '../../base/ownership/absence.ts';
import { isNotFound, KubeApiError } from '../errors/errors.ts';
import { type KubeObject, keyString, type ObjectKey } from '../object/object.ts';
import type { ResourceType } from '../object/resource-type.ts';
import type { CallOptions, KubeClient } from './client.ts';

/**
 * The object; undefined if it is proved that there is none: by a Status of the API server that names this very object, or else by a
 * list without it.
 *
 * @throws UnprovenAbsenceError for a 404 of something else, such as a gateway or a kind that is not served
 */
export async function getIfExists<T extends KubeObject>(
  client: Pick<KubeClient, 'get' | 'list' | 'clusterName'>,
  type: ResourceType<T>,
  key: ObjectKey,
  options: CallOptions = {},
): Promise<T | undefined> {
  const { signal } = options;
  const call = signal === undefined ? {} : { signal };
  let found: T | undefined;
  try {
    return await client.get(type, key, call);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const resource = `${type.kind} ${keyString(key)} on ${client.clusterName}`;
    const isAbsent = await isProvedAbsent(resource, existenceFrom(error, type, key), async () => {
      try {
        const { namespace, name } = key;
        const within = type.namespaced && namespace !== undefined ? { namespace } : {};
        const page = await client.list(type, { ...call, ...within, fieldSelector: `metadata.name=${name}` });
        found = page.items.find(({ metadata }) => metadata.name === name);
        return { state: found === undefined ? 'absent' : 'present' };
      } catch (second) {
        if (!isNotFound(second)) throw second;
        return { state: 'unclear', response: messageOf(second) };
      }
    });
    return isAbsent ? undefined : found;
  }
}

/** What a 404 of a request for one object says about that object. */
function existenceFrom(error: unknown, { plural }: ResourceType, { name }: ObjectKey): Existence {
  const api = findCause(error, KubeApiError);
  const { name: named, kind = plural } = api?.details ?? {};
  const isOfContract = api?.reason === 'NotFound' && named === name && kind === plural;
  return isOfContract ? { state: 'absent' } : { state: 'unclear', response: messageOf(error) };
}
