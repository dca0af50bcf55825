import { createBackoff } from '../../base/backoff.ts';
import type { Deps } from '../../base/deps.ts';
import { messageOf, type WaitTarget } from '../../base/errors.ts';

/** Watches what resources wait for and has them reconciled when it changes. */
export interface WakeUps {
  /**
   * Watches `targets` for `key` in place of those watched before; none ends it. New watches begin before old ones
   * end, so that a shared watch lives on.
   */
  watch(key: string, targets: readonly WaitTarget[]): void;
  /** Ends all watches for good. */
  close(): void;
}

export interface WakeUpsOptions extends Pick<Deps, 'clock' | 'log'> {
  /** Reconciles the key after the delay. */
  readonly wake: (key: string, delayMs: number) => void;
}

/**
 * The least time from the end of a pass (the call of `watch`) to the next one, in ms: short at first, so that what
 * comes in several pieces costs no second for each, and longer for a resource whose targets never rest.
 */
const MIN_GAP_MS = 100;
const MAX_GAP_MS = 1000;
/** Passes that are further apart do not count as following each other. */
const REST_MS = 10_000;

export function createWakeUps({ clock, log, wake }: WakeUpsOptions): WakeUps {
  const ends = new Map<string, () => void>();
  const gaps = createBackoff({ baseMs: MIN_GAP_MS, maxMs: MAX_GAP_MS });
  const passedAt = new Map<string, number>();
  let closed = false;
  const gapAfterPass = (key: string): number => {
    const now = clock.monotonic();
    if (now - (passedAt.get(key) ?? now) >= REST_MS) gaps.forget(key);
    passedAt.set(key, now);
    return gaps.next(key);
  };
  const forget = (key: string) => {
    ends.delete(key);
    gaps.forget(key);
    passedAt.delete(key);
  };
  const begin = (key: string, targets: readonly WaitTarget[]): (() => void) => {
    const notBefore = clock.monotonic() + gapAfterPass(key);
    let live = true;
    const onChange = () => {
      if (live) wake(key, Math.max(0, notBefore - clock.monotonic()));
    };
    const stops = targets.map((target) => {
      try {
        return target.watch(onChange);
      } catch (error) {
        log.error('cannot watch', { key, target: target.description, error: messageOf(error) });
        return () => undefined;
      }
    });
    return () => {
      live = false;
      for (const stop of stops) stop();
    };
  };
  return {
    watch: (key, targets) => {
      const before = ends.get(key);
      if (targets.length > 0 && !closed) ends.set(key, begin(key, targets));
      else forget(key);
      before?.();
    },
    close: () => {
      closed = true;
      for (const end of ends.values()) end();
      ends.clear();
    },
  };
}
