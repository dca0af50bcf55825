import { LRUCache } from 'lru-cache';

export interface LruCacheOptions<V> {
  /** Estimated memory of all entries; the least recently used are removed beyond it. */
  readonly maxBytes: number;
  /** Memory of a value without its key; default 0, for numbers and flags. Called when the value is set. */
  readonly bytesOf?: (value: V) => number;
}

/** Memory of any entry: the cache's lists and a value with a few fields. */
const ENTRY_BYTES = 200;
/** An entry with a larger share of the cache is not kept, so that one untrusted text cannot evict all others. */
const MAX_SHARE = 1 / 16;

/**
 * A cache with a limit in bytes, since its content is often untrusted. It allocates memory for its entries only, while
 * `new LRUCache({ max })` allocates for `max` entries from the start, 200 KiB for 10,000.
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

/** An upper bound: V8 stores one or two bytes for a character. */
export const textBytes = (...texts: readonly (string | undefined)[]): number =>
  2 * texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
