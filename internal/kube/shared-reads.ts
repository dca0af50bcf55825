import { deepFreeze } from '../base/deep-freeze.ts';
import { kindOf } from '../base/errors.ts';
import { createSharedCalls } from '../base/shared-calls.ts';
import type { KubeClient } from './client.ts';
import { isSilent } from './errors.ts';
import type { KubeObject, ObjectKey } from './object.ts';
import type { ResourceType } from './resource-type.ts';

/**
 * Fresh reads that callers of one connection share. Each caller gets the answer of a GET that began after it asked, so
 * no answer is older than the question. At most one GET of an object is in flight; all callers that ask meanwhile share
 * the one that begins when it ends. Nothing is kept after the answer.
 *
 * For objects that many reconciles read and none changes. What a reconcile is about to write is read by the client.
 */
export interface SharedReads {
  /**
   * `KubeClient.get`, except that the object is frozen. The GET is aborted when the last of its callers has aborted. If
   * it ends without a word about the object (no answer in time, or throttled), the error goes to the callers of the next
   * GET as well: they would wait for a second timeout.
   */
  get<T extends KubeObject>(type: ResourceType, key: ObjectKey, signal: AbortSignal): Promise<T>;
}

export function createSharedReads(client: Pick<KubeClient, 'get'>): SharedReads {
  const calls = createSharedCalls<KubeObject>({ joins: 'next', failsNext: saysNothing });
  return {
    get: async <T extends KubeObject>(type: ResourceType, key: ObjectKey, signal: AbortSignal) => {
      const read = async (shared: AbortSignal) =>
        deepFreeze(await client.get<T>(type, key, { signal: shared }));
      // As unchecked as the client's own answer: the same type and name, so the same object.
      return (await calls.join(idOf(type, key), read, signal)) as T;
    },
  };
}

const saysNothing = (error: unknown) => isSilent(error) || kindOf(error) === 'throttled';

const idOf = ({ group, version, plural }: ResourceType, { namespace, name }: ObjectKey): string =>
  JSON.stringify([group, version, plural, namespace, name]);
