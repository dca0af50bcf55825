/**
 * Lists of one instance's mappings that reconciles share. Many mappings lead to one instance, and each of them needs
 * the whole list to find its own: one list, under way or a moment old, serves all that ask with the same credentials.
 *
 * A write makes everything that was asked for before its end worthless, whoever sends it, so that nothing is made, or
 * taken for gone, because of a list from before the last write to that instance. Where writes follow each other quickly,
 * the next list begins `SPACING_MS` after the last one, and all who ask meanwhile share it.
 */

import { createLruCache, textBytes } from '../../base/collections/lru-cache.ts';
import { createSharedCalls } from '../../base/concurrency/shared-calls.ts';
import type { Deps } from '../../base/deps.ts';
import { NoResponseError } from '../../http/index.ts';
import type { MappingList } from './hana-cloud-client.ts';

export interface ListKey {
  readonly credentialsID: string;
  readonly serviceInstanceID: string;
}

export interface SharedLists {
  /**
   * What `fetch` brings, or brings to somebody who asked just before.
   *
   * @param isEnough whether a list of a moment ago will do; without it only one that is under way is shared
   * @param admit called before a list is waited for that is under way or has to be fetched
   */
  list(
    key: ListKey,
    fetch: (signal: AbortSignal) => Promise<MappingList>,
    signal: AbortSignal,
    isEnough?: (list: MappingList) => boolean,
    admit?: () => Promise<void>,
  ): Promise<MappingList>;
  /** Carries a write out. */
  write<T>(serviceInstanceID: string, write: () => Promise<T>): Promise<T>;
  /** Lists in memory: those that are fresh, and none of others from the next answer on. */
  size(): number;
  /** Forgets all. */
  clear(): void;
}

export interface SharedListsOptions extends Pick<Deps, 'clock'> {
  /** How long, from the request for it on, a list can be enough, in ms. */
  readonly freshMs: number;
}

/** Of all lists that are fresh together, about 100,000 mappings. One that takes too large a share is not kept at all. */
const MAX_BYTES = 48 * 1024 * 1024;
/** Of one mapping beside its texts. */
const MAPPING_BYTES = 120;
/** Of the instances whose last write is remembered: more than are ever written to while a list is fresh. */
const MAX_WRITES_BYTES = 4 * 1024 * 1024;

/** The time between two lists of an instance, in ms: about as long as an API takes for one. */
export const SPACING_MS = 50;

interface HeldList {
  /** Under which it is kept: no write had begun or ended since when it was asked for. */
  readonly name: string;
  readonly list: MappingList;
  readonly askedAt: number;
}

const bytesOf = ({ mappings }: MappingList): number =>
  mappings.reduce(
    (sum, { platform, primaryID, secondaryID }) =>
      sum + MAPPING_BYTES + textBytes(platform, primaryID, secondaryID),
    0,
  );

export function createSharedLists({ clock, freshMs }: SharedListsOptions): SharedLists {
  const held = createLruCache<string, HeldList>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ list }) => bytesOf(list),
  });
  const isFresh = ({ askedAt }: HeldList) => clock.monotonic() - askedAt < freshMs;
  /** The oldest come first, as nobody's reading makes them younger. */
  const forgetOld = () => {
    for (const name of held.rkeys()) {
      const oldest = held.peek(name);
      if (oldest !== undefined && isFresh(oldest)) return;
      held.delete(name);
    }
  };
  /** By instance; a number that no other write has had. */
  const lastWrite = createLruCache<string, number>({ maxBytes: MAX_WRITES_BYTES });
  const lastWriteTo = (serviceInstanceID: string) => lastWrite.get(serviceInstanceID) ?? 0;
  let writes = 0;
  // Lists from before a write keep the name they were asked for under, and are found no more.
  const nameOf = ({ credentialsID, serviceInstanceID }: ListKey) =>
    JSON.stringify([serviceInstanceID, lastWriteTo(serviceInstanceID), credentialsID]);
  const calls = createSharedCalls<HeldList>({
    joins: 'next',
    // Whoever waits for the next list would wait for a second time-out.
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
      const ask = async (signal: AbortSignal) => {
        const askedAt = clock.monotonic();
        const name = nameOf(key);
        return { name, askedAt, list: await fetch(signal) };
      };
      const id = JSON.stringify([serviceInstanceID, credentialsID]);
      return (await calls.join(id, ask, signal, () => lastWriteTo(serviceInstanceID))).list;
    },
    write: async (serviceInstanceID, write) => {
      // What is asked for from now on may see the write or not.
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
