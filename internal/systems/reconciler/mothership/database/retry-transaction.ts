import { type Clock, type Random, sleep } from '../../../../framework/base/index.ts';

/** Attempts of one transaction. */
const MAX_ATTEMPTS = 5;
/** Bounds of the delay before the next attempt, in ms. */
export const RETRY_DELAY_MS = { min: 25, max: 350 } as const;

/** SQLSTATE of errors after which the same transaction may succeed: serialization failure, deadlock. */
const RETRYABLE = new Set(['40001', '40P01']);

/** The SQLSTATE of an error of the database; undefined for other errors. */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Runs `attempt` until it succeeds, fails with another error than a conflict of transactions, or failed 5 times. */
export async function retryTransaction<T>(
  attempt: () => Promise<T>,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (attempts >= MAX_ATTEMPTS || !RETRYABLE.has(sqlState(error) ?? '')) throw error;
      await sleep(clock, retryDelayMs(random));
    }
  }
}

/** Uniformly between the bounds. */
export function retryDelayMs(random: Random): number {
  return RETRY_DELAY_MS.min + Math.floor(random() * (RETRY_DELAY_MS.max - RETRY_DELAY_MS.min + 1));
}
