import { LRUCache } from 'lru-cache';

/**
 * Beyond `max` entries the least recently used are forgotten. It takes memory for what is inside; a cache that is made
 * with `new LRUCache({ max })` takes it for all of `max` from the beginning, 200 KiB for 10,000 entries.
 */
export const createLruCache = <K extends {}, V extends {}>(max: number): LRUCache<K, V> =>
  new LRUCache<K, V>({ maxSize: max, sizeCalculation: () => 1 });
