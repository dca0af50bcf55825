import type { Deps } from '../../base/deps.ts';
import { messageOf, type WatchedObject } from '../../base/errors/errors.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import type { KeyStore } from '../key-store.ts';

/** Watches the objects that resources wait for, and requeues a resource when one of them changes. */
export interface WatchTriggers {
  /**
   * Watches `targets` for `key` instead of the previous targets; an empty list stops it. New watches start before old
   * ones stop, so that shared watches continue.
   */
  watch(key: string, targets: readonly WatchedObject[]): void;
}

export interface WatchTriggersOptions extends Pick<Deps, 'clock' | 'log'> {
  /** Dropping a key stops its watches. */
  readonly keys: KeyStore;
  /** Requeues the key after the delay. */
  readonly trigger: (key: string, delayMs: number) => void;
}

/**
 * Lower bound for the time from the end of a reconcile (the call of `watch`) to the next one, in ms. It grows for
 * resources whose targets change often.
 */
const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 1000;
/** Reconciles further apart reset the delay, in ms. */
const RESET_MS = 10_000;

/** The watches of one key. */
interface Watching {
  readonly end: () => void;
  /** By the monotonic clock. */
  readonly begunAt: number;
}

export function createWatchTriggers({ clock, log, keys, trigger }: WatchTriggersOptions): WatchTriggers {
  const watching = keys.values<Watching>('watch triggers', ({ end }) => end());
  const delays = createBackoff({
    baseMs: MIN_DELAY_MS,
    maxMs: MAX_DELAY_MS,
    counts: keys.values('delays of watch triggers'),
  });
  const delayAfterReconcile = (key: string): number => {
    const now = clock.monotonic();
    if (now - (watching.get(key)?.begunAt ?? now) >= RESET_MS) delays.forget(key);
    return delays.next(key);
  };
  const begin = (key: string, targets: readonly WatchedObject[]): (() => void) => {
    const notBefore = clock.monotonic() + delayAfterReconcile(key);
    let live = true;
    const onChange = () => {
      if (live) trigger(key, Math.max(0, notBefore - clock.monotonic()));
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
