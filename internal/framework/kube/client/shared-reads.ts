import { createSharedCalls } from '../../base/concurrency/shared-calls.ts';
import type { Deps } from '../../base/deps.ts';
import { kindOf } from '../../base/errors/errors.ts';
import { deepFreeze } from '../../base/json/json-value.ts';
import { isTimedOut } from '../errors/errors.ts';
import type { KubeObject, ObjectKey } from '../object/object.ts';
import type { ResourceType } from '../object/resource-type.ts';
import type { KubeClient } from './client.ts';

/**
 * Shared reads without a cache. Each call of `get` gets the response of a GET request that began after the call. At most
 * one GET of an object is in flight; the next one begins `SPACING_MS` after it at the earliest and serves all calls that
 * came in the meantime. Nothing is kept after the response.
 *
 * For objects that many reconciles read and none writes. An object that a reconcile writes is read by the client.
 */
export interface SharedReads {
  /**
   * As `KubeClient.get`, but the object is frozen. The GET is aborted when the last call that waits for it is aborted. An
   * error that says nothing about the object (timeout or throttling) also fails the calls that wait for the next GET,
   * which would otherwise wait for a second timeout.
   */
  get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, signal: AbortSignal): Promise<T>;
}

/** The time between two GETs of an object, in ms: short for a reconcile, long enough to share among many. */
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
      // Unchecked, as in the client: type and name are the same.
      return (await calls.join(idOf(type, key), read, signal)) as T;
    },
  };
}

const saysNothing = (error: unknown) => isTimedOut(error) || kindOf(error) === 'throttled';

const idOf = ({ group, version, plural }: ResourceType, { namespace, name }: ObjectKey): string =>
  JSON.stringify([group, version, plural, namespace, name]);
