import type { ClusterStatus } from '../model/cluster-status.ts';
import type { ChangeContext } from './context.ts';

/**
 * Periodic runs are later than the interval by up to this share of it, so that they spread evenly. At most 20 % is promised;
 * the rest is for the scheduler.
 */
const SPREAD = 0.15;
/** Errors after which the delay doubles, and how often it does. */
const ERRORS_FOR_DOUBLE_DELAY = 3;
const MAX_DOUBLINGS = 3;

/** Delay of the next run after this result, in ms; undefined: the scheduler starts none. */
export function nextRunDelayMs(
  result: ClusterStatus,
  earlierErrors: number,
  { settings, random }: Pick<ChangeContext, 'settings' | 'random'>,
): number | undefined {
  const spreadMs = settings.reconcileIntervalMs * (1 + SPREAD * random());
  if (result === 'ready') return spreadMs;
  if (result !== 'reconcile_error_retryable' && result !== 'delete_error_retryable') return undefined;
  const doublings = Math.min(Math.floor(earlierErrors / ERRORS_FOR_DOUBLE_DELAY), MAX_DOUBLINGS);
  return spreadMs * 2 ** doublings;
}
