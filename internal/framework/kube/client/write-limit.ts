/**
 * Another controller, or a user's tool, that changes back what this process writes makes both write without an end. So each
 * object is written a limited number of times in a minute.
 */
import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { isRefused } from '../errors/errors.ts';
import { keyOf, keyString, type ObjectKey } from '../object/object.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';
import type { KubeClient } from './client.ts';

/** Writes of one object in a minute. */
export const MAX_WRITES = 30;
/** Writes of one status in a minute: more, since it records writes of other objects and must then say that they are refused. */
const MAX_STATUS_WRITES = 2 * MAX_WRITES;
const WINDOW_MS = 60_000;
/** Leases are renewed every two seconds, by one process at a time. */
const UNLIMITED = new Set(['leases.coordination.k8s.io']);

/**
 * The client, whose further writes of an object fail as `throttled` until the minute is over. Deletions, dry runs,
 * writes of Leases, creations without a name, and writes that the API server refuses are not counted.
 */
export function limitWrites(client: KubeClient, { clock }: Pick<Deps, 'clock'>): KubeClient {
  const counts = new Map<string, number>();
  let endsAt = 0;
  const counted = async <R>(
    type: ResourceType,
    key: ObjectKey,
    { dryRun = false, subresource = '' }: { readonly dryRun?: boolean; readonly subresource?: string } = {},
    write: () => Promise<R>,
  ): Promise<R> => {
    const resource = groupResource(type);
    if (dryRun || !key.name || UNLIMITED.has(resource)) return write();
    const now = clock.monotonic();
    if (now >= endsAt) {
      counts.clear();
      endsAt = now + WINDOW_MS;
    }
    const name = `${resource} ${keyString(key)} ${subresource}`;
    const add = (count: number) => counts.set(name, (counts.get(name) ?? 0) + count);
    const max = subresource === 'status' ? MAX_STATUS_WRITES : MAX_WRITES;
    if ((counts.get(name) ?? 0) >= max)
      throw new ProviderError('throttled', refusal(type, key, max), { retryAfterMs: endsAt - now });
    add(1);
    const end = endsAt;
    try {
      return await write();
    } catch (error) {
      // It changed nothing.
      if (isRefused(error) && end === endsAt) add(-1);
      throw error;
    }
  };
  return {
    ...client,
    create: (type, object, write) =>
      counted(type, keyOf(object), write, () => client.create(type, object, write)),
    update: (type, object, write) =>
      counted(type, keyOf(object), write, () => client.update(type, object, write)),
    updateStatus: (type, object, write) =>
      counted(type, keyOf(object), { ...write, subresource: 'status' }, () =>
        client.updateStatus(type, object, write),
      ),
    mergePatch: (type, key, patch, write) =>
      counted(type, key, write, () => client.mergePatch(type, key, patch, write)),
    jsonPatch: (type, key, patch, write) =>
      counted(type, key, write, () => client.jsonPatch(type, key, patch, write)),
    apply: (type, object, write) =>
      counted(type, keyOf(object), write, () => client.apply(type, object, write)),
  };
}

const refusal = ({ kind }: ResourceType, key: ObjectKey, max: number) =>
  `${kind} ${keyString(key)} was written ${max} times within a minute and is not written again before the minute is over: probably another controller or tool changes it back`;
