import { LRUCache } from 'lru-cache';

export interface LruCacheOptions<V> {
  /** Of all entries together, by estimate; beyond it the least recently used are forgotten. */
  readonly maxBytes: number;
  /** What a value keeps in memory beside its key; default 0, for numbers and flags. Taken when the value is set. */
  readonly bytesOf?: (value: V) => number;
}

/** What any entry costs: the cache's lists and a value of a few fields. */
const ENTRY_BYTES = 200;
/** An entry with a larger share of the cache is not kept, or one text from outside would drive out all others. */
const MAX_SHARE = 1 / 16;

/**
 * A cache that is bounded by the bytes it keeps, since what it keeps often comes from outside. It takes memory for what
 * is inside; a cache that is made with `new LRUCache({ max })` takes it for all of `max` from the beginning, 200 KiB for
 * 10,000 entries.
 */
export function createLruCache<K extends string, V extends {}>({
  maxBytes,
  bytesOf = () => 0,
}: LruCacheOptions<V>): LRUCache<K, V> {
  return new LRUCache<K, V>({
    maxSize: maxBytes,
    maxEntrySize: Math.max(ENTRY_BYTES, Math.floor(maxBytes * MAX_SHARE)),
    sizeCalculation: (value, key) => ENTRY_BYTES + textBytes(key) + Math.ceil(bytesOf(value)),
  });
}

/** Texts take one byte for each character, or two. */
export const textBytes = (...texts: readonly (string | undefined)[]): number =>
  2 * texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
