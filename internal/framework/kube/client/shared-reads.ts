import { type ByteBudget, type HeldBytes, holdBytes } from '../../base/collections/byte-budget.ts';
import { createLruCache } from '../../base/collections/lru-cache.ts';
import { createSharedCalls } from '../../base/concurrency/shared-calls.ts';
import type { Deps } from '../../base/deps.ts';
import { kindOf } from '../../base/errors/errors.ts';
import { memoryOf } from '../../base/json/json-memory.ts';
import { deepFreeze } from '../../base/json/json-value.ts';
import { isTimedOut } from '../errors/errors.ts';
import type { KubeObject, ObjectKey } from '../object/object.ts';
import { groupResource, type ResourceType, secrets } from '../object/resource-type.ts';
import { type KubeClient, type ListOptions, type NextPage, type Page, pagesOf } from './client.ts';

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

/**
 * Reads for polls, which may use a response that is a few seconds old. Where many objects of one namespace are polled, they share a
 * list; others are read one by one. Objects are kept for as long as the list is used, Secrets never: they are read by `reads`.
 */
export interface PolledReads extends SharedReads {
  /** `uid/resourceVersion` of an object, from a list of metadata; undefined: only a read shows it. */
  versionOf(type: ResourceType, key: ObjectKey, signal: AbortSignal): Promise<ObjectVersion | undefined>;
}

/** Differs for each change, and for an object of the same name. */
export interface ObjectVersion {
  readonly uid: string;
  readonly resourceVersion: string;
}

export const versionOf = ({ metadata: { uid = '', resourceVersion = '' } }: KubeObject): ObjectVersion => ({
  uid,
  resourceVersion,
});

interface PolledReadsOptions extends Pick<Deps, 'clock'> {
  readonly client: Pick<KubeClient, 'list' | 'listMetadata'>;
  /** For single objects, and for those that a list does not have. */
  readonly reads: SharedReads;
  /** What lists take while they are used; default: no limit. */
  readonly memory?: ByteBudget | undefined;
}

/** How old a list may be, in ms. */
export const FRESH_MS = 5000;
/** Objects of a namespace in this time, from which on a list costs less than their reads: so many, and two for each of its pages. */
const MANY = 4;
const MANY_FOR_PAGE = 2;
/** Objects of a page: a server of a tenant may send a megabyte. */
const PAGE = 100;
/** A namespace with more objects is not listed. */
const MAX_PAGES = 20;
/** Not listed again for this time after a refusal, or with too many objects, in ms. */
export const PAUSE_MS = 600_000;
/** Memory for about 1000 namespaces, without the lists. */
const MAX_BYTES = 512 * 1024;
const COLLECTION_BYTES = 500;

type Objects = ReadonlyMap<string, unknown>;
type List = (options: ListOptions) => Promise<Page<KubeObject>>;

/** A kind in a namespace. */
interface Collection {
  windowBegan: number;
  /** Names that were read in this window. */
  names: Set<string>;
  /** Of the window before. */
  before: number;
  list: { readonly begunAt: number; readonly objects: Objects } | undefined;
  /** Objects of the last list. */
  size: number;
  pausedUntil: number;
}

const manyOf = ({ size }: Collection): number => Math.max(MANY, MANY_FOR_PAGE * Math.ceil(size / PAGE));

export function createPolledReads({ client, reads, clock, memory }: PolledReadsOptions): PolledReads {
  const collections = createLruCache<string, Collection>({
    maxBytes: MAX_BYTES,
    bytesOf: () => COLLECTION_BYTES,
  });
  const lists = createSharedCalls<Objects | undefined>();

  const collectionOf = (id: string, name: string): Collection => {
    const now = clock.monotonic();
    const found = collections.get(id) ?? {
      windowBegan: now,
      names: new Set<string>(),
      before: 0,
      list: undefined,
      size: 0,
      pausedUntil: 0,
    };
    collections.set(id, found);
    const windows = Math.floor((now - found.windowBegan) / FRESH_MS);
    if (windows > 0) {
      found.before = windows === 1 ? found.names.size : 0;
      found.names = new Set();
      found.windowBegan = now;
    }
    if (found.names.size < manyOf(found)) found.names.add(name);
    return found;
  };
  const listAll = async (
    list: List,
    keep: (object: KubeObject) => unknown,
    namespace: string,
    held: HeldBytes | undefined,
    signal: AbortSignal,
  ) => {
    const objects = new Map<string, unknown>();
    let isWhole = true;
    const onMore = () => {
      isWhole = false;
    };
    const page = (next: NextPage) => list({ namespace, limit: PAGE, signal, ...next });
    for await (const items of pagesOf(page, { max: MAX_PAGES, onMore }))
      for (const item of items) {
        const { name } = item.metadata;
        const kept = keep(item);
        // Objects of a page of a megabyte may take twenty times as much, and there are many pages.
        if (held?.take(memoryOf([name, kept])) === false) return undefined;
        objects.set(name, kept);
      }
    return isWhole ? objects : undefined;
  };
  /** What was kept of the object; undefined: it is read alone. */
  const find = async (
    what: readonly [shape: string, list: List, keep: (object: KubeObject) => unknown],
    type: ResourceType,
    { namespace, name }: ObjectKey,
    signal: AbortSignal,
  ): Promise<unknown> => {
    if (namespace === undefined) return undefined;
    const [shape, ...how] = what;
    const id = JSON.stringify([shape, type.group, type.version, type.plural, namespace]);
    const fetch = (held: HeldBytes | undefined, shared: AbortSignal) =>
      listAll(...how, namespace, held, shared);
    return (await listed(collectionOf(id, name), id, fetch, signal))?.get(name);
  };
  const listed = async (
    collection: Collection,
    id: string,
    request: (held: HeldBytes | undefined, signal: AbortSignal) => Promise<Objects | undefined>,
    signal: AbortSignal,
  ): Promise<Objects | undefined> => {
    const { list } = collection;
    const begunAt = clock.monotonic();
    if (list !== undefined && begunAt - list.begunAt < FRESH_MS) return list.objects;
    const isDense = Math.max(collection.before, collection.names.size) >= manyOf(collection);
    if (!isDense || begunAt < collection.pausedUntil) return undefined;
    const pause = () => {
      collection.pausedUntil = clock.monotonic() + PAUSE_MS;
    };
    const fetch = async (shared: AbortSignal) => {
      using failed = new DisposableStack();
      const held = memory && failed.use(holdBytes(memory));
      const objects = await request(held, shared);
      if (objects === undefined) {
        pause();
        return undefined;
      }
      const kept = failed.move();
      const fresh = { begunAt, objects };
      collection.list = fresh;
      collection.size = objects.size;
      clock.after(FRESH_MS, () => {
        kept.dispose();
        if (collection.list === fresh) collection.list = undefined;
      });
      return objects;
    };
    try {
      return await lists.join(id, fetch, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      // The read of the single object says what is wrong with it.
      pause();
      return undefined;
    }
  };
  return {
    get: async <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, signal: AbortSignal) => {
      const isSecret = groupResource(type) === groupResource(secrets);
      const list: List = (options) => client.list(type, options);
      // Unchecked, as in the client.
      const found = isSecret ? undefined : ((await find(['full', list, deepFreeze], type, key, signal)) as T);
      return found ?? (await reads.get(type, key, signal));
    },
    versionOf: async (type, key, signal) => {
      const list: List = (options) => client.listMetadata(type, options);
      return (await find(['metadata', list, versionOf], type, key, signal)) as ObjectVersion | undefined;
    },
  };
}
