import { type Deps, sleep } from '../../../../../framework/base/index.ts';

import type { Awaited, DeployOptions } from '../../model/deployer.ts';
import { NotReadyError } from './not-ready-error.ts';

export interface PollOptions extends Pick<Deps, 'clock'>, DeployOptions {
  /** The longest time between two checks, in ms. The first ones follow each other faster. */
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** For messages: `objects are not ready`. */
  readonly what: string;
}

/** The time between the first two checks, in ms. */
const FIRST_MS = 200;

/**
 * Calls `check` until nothing is awaited. Reports what is awaited whenever that changes.
 *
 * @throws NotReadyError after the time-out, or when the signal is aborted, with what was awaited last
 */
export async function poll(check: () => Promise<readonly Awaited[]>, options: PollOptions): Promise<void> {
  const { clock, signal, onProgress, intervalMs, timeoutMs, what } = options;
  const startedAt = clock.monotonic();
  let delayMs = Math.min(FIRST_MS, intervalMs);
  let awaited: readonly Awaited[] = [];
  let reported = '';
  try {
    for (;;) {
      signal.throwIfAborted();
      awaited = await check();
      if (awaited.length === 0) break;
      const text = JSON.stringify(awaited);
      if (text !== reported) onProgress?.(awaited);
      reported = text;
      const leftMs = timeoutMs - (clock.monotonic() - startedAt);
      if (leftMs <= 0) throw new NotReadyError(`${what} after ${timeoutMs / 1000} s`, awaited);
      await sleep(clock, Math.min(delayMs, leftMs), signal);
      delayMs = Math.min(delayMs * 2, intervalMs);
    }
  } catch (error) {
    if (!signal.aborted || awaited.length === 0) throw error;
    throw new NotReadyError(`${what}, and the attempt has ended`, awaited, { cause: signal.reason });
  }
  if (reported !== '') onProgress?.([]);
}
