import type { Deps } from '../../base/deps.ts';
import { messageOf, type WatchedObject } from '../../base/errors/errors.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import type { KeyStore } from './key-store.ts';

/** Watches what resources wait for and has them reconciled when it changes. */
export interface WatchTriggers {
  /**
   * Watches `targets` for `key` in place of those watched before; none ends it. New watches begin before old ones
   * end, so that a shared watch lives on.
   */
  watch(key: string, targets: readonly WatchedObject[]): void;
}

export interface WatchTriggersOptions extends Pick<Deps, 'clock' | 'log'> {
  /** A key that is dropped here is watched no more. */
  readonly keys: KeyStore;
  /** Reconciles the key after the delay. */
  readonly wake: (key: string, delayMs: number) => void;
}

/**
 * The least time from the end of a pass (the call of `watch`) to the next one, in ms: short at first, so that what
 * comes in several pieces costs no second for each, and longer for a resource whose targets never rest.
 */
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 1000;
/** Passes that are further apart do not count as following each other. */
const REST_MS = 10_000;

/** The watches of one key. */
interface Watching {
  readonly end: () => void;
  /** By the monotonic clock. */
  readonly begunAt: number;
}

export function createWatchTriggers({ clock, log, keys, wake }: WatchTriggersOptions): WatchTriggers {
  const watching = keys.values<Watching>('watch triggers', ({ end }) => end());
  const delays = createBackoff({
    baseMs: MIN_DELAY_MS,
    maxMs: MAX_DELAY_MS,
    counts: keys.values('delays of watch triggers'),
  });
  const delayAfterReconcile = (key: string): number => {
    const now = clock.monotonic();
    if (now - (watching.get(key)?.begunAt ?? now) >= REST_MS) delays.forget(key);
    return delays.next(key);
  };
  const begin = (key: string, targets: readonly WatchedObject[]): (() => void) => {
    const notBefore = clock.monotonic() + delayAfterReconcile(key);
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
      const before = watching.get(key);
      if (targets.length > 0) {
        watching.set(key, { end: begin(key, targets), begunAt: clock.monotonic() });
      } else {
        watching.delete(key);
        delays.forget(key);
      }
      before?.end();
    },
  };
}
