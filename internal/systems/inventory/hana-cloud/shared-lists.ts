/**
 * Lists of the mappings of one instance, shared by reconciles. Many mappings belong to one instance, and each of them needs
 * the whole list. So a list in progress, or a recent one, serves all calls with the same credentials.
 *
 * A write invalidates all lists of the instance that were requested before its end, so that no decision is based on a list
 * from before the last write. After several writes the next list begins `SPACING_MS` after the last one, and calls in the
 * meantime share it.
 */

import { createLruCache, textBytes } from '../../../framework/base/collections/lru-cache.ts';
import { createSharedCalls, type Deps } from '../../../framework/base/index.ts';

import { NoResponseError } from '../../../framework/http/index.ts';
import type { MappingList } from './hana-cloud-client.ts';

export interface ListKey {
  readonly credentialsID: string;
  readonly serviceInstanceID: string;
}

export interface SharedLists {
  /**
   * The result of `fetch`, or of an earlier one.
   *
   * @param isEnough whether a recent list may be used; without it only a list in progress is shared
   * @param admit called before the wait for a list, in progress or new
   */
  list(
    key: ListKey,
    fetch: (signal: AbortSignal) => Promise<MappingList>,
    signal: AbortSignal,
    isEnough?: (list: MappingList) => boolean,
    admit?: () => Promise<void>,
  ): Promise<MappingList>;
  /** Runs a write and invalidates the lists of the instance. */
  write<T>(serviceInstanceID: string, write: () => Promise<T>): Promise<T>;
  /** Lists in memory. Outdated ones are removed with the next response. */
  size(): number;
  /** Removes all lists. */
  clear(): void;
}

export interface SharedListsOptions extends Pick<Deps, 'clock'> {
  /** How long a list may be used, from its request on, in ms. */
  readonly freshMs: number;
}

/** Memory of all lists, about 100,000 mappings. A list with a too large share is not kept. */
const MAX_BYTES = 48 * 1024 * 1024;
/** Memory of one mapping without its texts. */
const MAPPING_BYTES = 120;
/** Memory for the last writes: more instances than are written to while a list may be used. */
const MAX_WRITES_BYTES = 4 * 1024 * 1024;

/** The minimum time between two lists of an instance, in ms: about the duration of one request. */
export const SPACING_MS = 50;

interface CachedList {
  /** Its key in the cache; contains the number of the last write at the time of the request. */
  readonly name: string;
  readonly list: MappingList;
  readonly requestedAt: number;
}

const bytesOf = ({ mappings }: MappingList): number =>
  mappings.reduce(
    (sum, { platform, primaryID, secondaryID }) =>
      sum + MAPPING_BYTES + textBytes(platform, primaryID, secondaryID),
    0,
  );

export function createSharedLists({ clock, freshMs }: SharedListsOptions): SharedLists {
  const held = createLruCache<string, CachedList>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ list }) => bytesOf(list),
  });
  const isFresh = ({ requestedAt }: CachedList) => clock.monotonic() - requestedAt < freshMs;
  /** In the order of insertion, since `peek` does not change the order. */
  const forgetOld = () => {
    for (const name of held.rkeys()) {
      const oldest = held.peek(name);
      if (oldest !== undefined && isFresh(oldest)) return;
      held.delete(name);
    }
  };
  /** By instance; unique numbers of writes. */
  const lastWrite = createLruCache<string, number>({ maxBytes: MAX_WRITES_BYTES });
  const lastWriteTo = (serviceInstanceID: string) => lastWrite.get(serviceInstanceID) ?? 0;
  let writes = 0;
  // Lists from before a write have another name, so they are no longer found.
  const nameOf = ({ credentialsID, serviceInstanceID }: ListKey) =>
    JSON.stringify([serviceInstanceID, lastWriteTo(serviceInstanceID), credentialsID]);
  const calls = createSharedCalls<CachedList>({
    joins: 'next',
    // Calls that wait for the next list would wait for a second timeout.
    failsNext: (error) => error instanceof NoResponseError && !error.aborted,
    spacing: { clock, ms: SPACING_MS },
    onAnswer: (_, answer) => {
      forgetOld();
      held.set(answer.name, answer);
    },
  });
  const noteWrite = (serviceInstanceID: string) => void lastWrite.set(serviceInstanceID, ++writes);
  return {
    list: async (key, fetch, signal, isEnough, admit) => {
      const known = held.peek(nameOf(key));
      if (known && isFresh(known) && isEnough?.(known.list)) return known.list;
      await admit?.();
      const { credentialsID, serviceInstanceID } = key;
      const request = async (signal: AbortSignal) => {
        const requestedAt = clock.monotonic();
        const name = nameOf(key);
        return { name, requestedAt, list: await fetch(signal) };
      };
      const id = JSON.stringify([serviceInstanceID, credentialsID]);
      return (await calls.join(id, request, signal, () => lastWriteTo(serviceInstanceID))).list;
    },
    write: async (serviceInstanceID, write) => {
      // A list that is requested during the write may or may not contain its effect.
      noteWrite(serviceInstanceID);
      try {
        return await write();
      } finally {
        noteWrite(serviceInstanceID);
      }
    },
    size: () => held.size,
    clear: () => {
      held.clear();
      calls.abandonAll('HANA Cloud was closed');
    },
  };
}
