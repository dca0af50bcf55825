import { createSharedCalls } from '../../base/concurrency/shared-calls.ts';
import type { Deps } from '../../base/deps.ts';
import { kindOf } from '../../base/errors/errors.ts';
import { deepFreeze } from '../../base/json/deep-freeze.ts';
import { isTimedOut } from '../errors/errors.ts';
import type { KubeObject, ObjectKey } from '../object/object.ts';
import type { ResourceType } from '../object/resource-type.ts';
import type { KubeClient } from './client.ts';

/**
 * Fresh reads that callers of one connection share. Each caller gets the answer of a GET that began after it asked, so
 * no answer is older than the question. At most one GET of an object is in flight, and the next one begins `SPACING_MS`
 * after it at the earliest; all callers that ask meanwhile share that one. Nothing is kept after the answer.
 *
 * For objects that many reconciles read and none changes. What a reconcile is about to write is read by the client.
 */
export interface SharedReads {
  /**
   * `KubeClient.get`, except that the object is frozen. The GET is aborted when the last of its callers has aborted. If
   * it ends without a word about the object (no answer in time, or throttled), the error goes to the callers of the next
   * GET as well: they would wait for a second timeout.
   */
  get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, signal: AbortSignal): Promise<T>;
}

/** The time between two GETs of an object, in ms: short for a reconcile, and long enough for many that begin together. */
export const SPACING_MS = 50;

export interface SharedReadsOptions extends Pick<Deps, 'clock'> {
  readonly client: Pick<KubeClient, 'get'>;
}

export function createSharedReads({ client, clock }: SharedReadsOptions): SharedReads {
  const spacing = { clock, ms: SPACING_MS };
  const calls = createSharedCalls<KubeObject>({ joins: 'next', failsNext: saysNothing, spacing });
  return {
    get: async <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, signal: AbortSignal) => {
      const read = async (shared: AbortSignal) => deepFreeze(await client.get(type, key, { signal: shared }));
      // As unchecked as the client's own answer: the same type and name, so the same object.
      return (await calls.join(idOf(type, key), read, signal)) as T;
    },
  };
}

const saysNothing = (error: unknown) => isTimedOut(error) || kindOf(error) === 'throttled';

const idOf = ({ group, version, plural }: ResourceType, { namespace, name }: ObjectKey): string =>
  JSON.stringify([group, version, plural, namespace, name]);
