import { messageOf } from '../../base/errors/errors.ts';
import { type Existence, isProvedAbsent } from '../../ownership/absence.ts';
import { isNotFound, isUnknownKind } from '../errors/errors.ts';
import { type KubeObject, keyString, type ObjectKey } from '../object/object.ts';
import type { ResourceType } from '../object/resource-type.ts';
import type { CallOptions, KubeClient } from './client.ts';

/**
 * The object; undefined if it is proved that there is none: by a Status of the API server about this very object (`isNotFound`).
 *
 * @throws UnprovenAbsenceError if the API server does not serve the kind: its objects may be in etcd
 */
export async function getIfExists<T extends KubeObject>(
  client: Pick<KubeClient, 'get' | 'clusterName'>,
  type: ResourceType<T>,
  key: ObjectKey,
  { signal }: CallOptions = {},
): Promise<T | undefined> {
  try {
    return await client.get(type, key, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const seen: Existence = isUnknownKind(error)
      ? { state: 'unclear', response: messageOf(error) }
      : { state: 'absent' };
    await isProvedAbsent(`${type.kind} ${keyString(key)} on ${client.clusterName}`, seen);
    return undefined;
  }
}
