/**
 * Works on all items with limited concurrency, and returns the results in their order. Rejects with the first failure.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  limit = 32,
): Promise<R[]> {
  const results: R[] = [];
  const entries = items.entries();
  const worker = async () => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** 0 up to, but without, `length`. */
export const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
