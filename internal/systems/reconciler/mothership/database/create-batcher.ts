import { sqlState } from './retry-transaction.ts';

export interface BatcherOptions<Item, Result> {
  /** One transaction for several items. Returns a result for each, in their order. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  /** Items with the same key are in different batches. */
  keyOf(item: Item): string;
}

/** Items of one transaction. */
const MAX_BATCH = 50;
/** Transactions at the same time: one that waits for a lock must not hold up all. */
const WIDTH = 2;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly done: PromiseWithResolvers<Result>;
}

/**
 * Joins changes into transactions: what arrives while two run shares the next one. A single change is never delayed, and many
 * at the same time cost the statements of one.
 */
export function createBatcher<Item, Result>({
  run,
  keyOf,
}: BatcherOptions<Item, Result>): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running = 0;

  const takeBatch = () => {
    const batch = new Map<string, Waiting<Item, Result>>();
    const left: Waiting<Item, Result>[] = [];
    for (const entry of waiting) {
      const key = keyOf(entry.item);
      if (batch.size < MAX_BATCH && !batch.has(key)) batch.set(key, entry);
      else left.push(entry);
    }
    waiting = left;
    return [...batch.values()];
  };

  /** A transaction that the database refuses is repeated with each item alone: one cannot fail the others. */
  const runBatch = async (batch: readonly Waiting<Item, Result>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { done }] of batch.entries()) done.resolve(results[index] as Result);
    } catch (error) {
      if (batch.length > 1 && isRefused(error)) for (const entry of batch) await runBatch([entry]);
      else for (const { done } of batch) done.reject(error);
    }
  };

  const work = async () => {
    running++;
    while (waiting.length > 0) await runBatch(takeBatch());
    running--;
  };

  return (item) => {
    const done = Promise.withResolvers<Result>();
    waiting.push({ item, done });
    if (running < WIDTH) void work();
    return done.promise;
  };
}

/** SQLSTATE classes of values that do not fit, and of constraints. */
const isRefused = (error: unknown): boolean => /^2[23]/.test(sqlState(error) ?? '');
