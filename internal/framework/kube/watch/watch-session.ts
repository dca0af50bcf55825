import type { Deps } from '../../base/deps.ts';
import { findCause, ProviderError } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { WatchEvent, WatchOptions } from '../client/client.ts';
import { isForbidden, isGone, isInvalid, isNotFound, isUnauthorized } from '../errors/errors.ts';
import type { KubeObject } from '../object/object.ts';

/** One watch request, from its start to its end. */
interface WatchSessionOptions<T extends KubeObject> extends Pick<Deps, 'clock' | 'random'> {
  /** `client.watch` or `client.watchMetadata`, bound to a type and selection. */
  readonly open: (options: WatchOptions) => AsyncIterable<WatchEvent<T>>;
  /** Start after this version; undefined: with a synthetic ADDED event for each existing object. */
  readonly resourceVersion: string | undefined;
  /** Called for each event, bookmarks included. Must neither throw nor block. */
  readonly onEvent: (event: WatchEvent<T>) => void;
  readonly onOpen?: () => void;
  readonly signal: AbortSignal;
}

export interface WatchSessionEnd {
  /** Absent if the server ended the watch regularly. */
  readonly error?: unknown;
  /** The next watch can continue from this version. */
  readonly resourceVersion: string | undefined;
  /** Whether the server accepted the watch. */
  readonly accepted: boolean;
  /** Duration of the accepted watch, in ms. */
  readonly lastedMs: number;
  /** Whether an event arrived, or a bookmark. */
  readonly progressed: boolean;
}

/** Servers send a bookmark about every minute; two missed ones mean a dead connection. */
const IDLE_MS = 130_000;

/** Runs one watch to its end. Never rejects. */
export async function followWatch<T extends KubeObject>(
  options: WatchSessionOptions<T>,
): Promise<WatchSessionEnd> {
  const { clock, random, signal } = options;
  let openedAt: number | undefined;
  let progressed = false;
  const life = () => ({
    accepted: openedAt !== undefined,
    lastedMs: openedAt === undefined ? 0 : clock.monotonic() - openedAt,
    progressed,
  });
  const cut = new AbortController();
  const onAbort = () => cut.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const idleTimer = startIdleTimer(clock, () =>
    cut.abort(new ProviderError('transient', `the watch gave no sign of life for ${IDLE_MS / 1000} s`)),
  );
  let resourceVersion = options.resourceVersion;
  try {
    const events = options.open({
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      // Random, so that the watches of many clients do not end together.
      timeoutSeconds: 300 + Math.floor(300 * random()),
      signal: cut.signal,
      onOpen: () => {
        openedAt = clock.monotonic();
        options.onOpen?.();
      },
    });
    for await (const event of events) {
      if (signal.aborted) break;
      idleTimer.reset();
      openedAt ??= clock.monotonic();
      options.onEvent(event);
      progressed = true;
      resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
    }
    return { resourceVersion, ...life() };
  } catch (error) {
    return { error, resourceVersion, ...life() };
  } finally {
    idleTimer.stop();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Calls `onTimeout` once if `reset` was not called for `IDLE_MS`. Needs no timer for each call. */
function startIdleTimer(clock: Clock, onTimeout: () => void): { reset(): void; stop(): void } {
  let lastReset = clock.monotonic();
  let cancel: () => void;
  const check = () => {
    const idle = clock.monotonic() - lastReset;
    if (idle >= IDLE_MS) onTimeout();
    else cancel = clock.after(IDLE_MS - idle, check);
  };
  cancel = clock.after(IDLE_MS, check);
  return {
    reset: () => {
      lastReset = clock.monotonic();
    },
    stop: () => cancel(),
  };
}

/** How a watch connects again. */
interface ReconnectDelay {
  /** Counts a failure and returns the ms to wait. */
  afterFailure(error: unknown): number;
  /** Returns the ms to wait after a watch has ended: 0 if the server ended it regularly. */
  afterWatch(end: WatchSessionEnd): number;
  /** Whether the next watch may continue from the version of the one that has ended. Called once for each. */
  mayContinue(end: WatchSessionEnd): boolean;
}

interface ReconnectDelayOptions extends Pick<Deps, 'random'> {
  /** The longest wait, in ms; default 30000. */
  readonly maxMs?: number;
}

/** After an installation permissions and CRDs may follow late and should be noticed soon. */
const MAX_REFUSED_MS = 5_000;

/** A watch that ends sooner is not restarted at once, even after a regular end: this prevents a busy loop. */
const SHORT_MS = 1000;

/**
 * So many watches in a row without an event or bookmark that end out of order, from one version: another server may have taken over, etcd
 * may have been restored, or the next event may be one that cannot be read. A list finds out. Without success it doubles, since lists are
 * expensive.
 */
const FRUITLESS = { min: 3, max: 384 };

/**
 * Delays of 0.8 s, doubled up to 30 s, with a jitter of 20 %, so that many clients do not reconnect together. A watch that
 * the server accepted resets the delay, even if its connection is lost.
 */
export function createReconnectDelay({ random, maxMs = 30_000 }: ReconnectDelayOptions): ReconnectDelay {
  const backoff = createBackoff({ baseMs: 800, maxMs });
  let fruitless = 0;
  let maxFruitless = FRUITLESS.min;
  const afterFailure = (error: unknown): number => {
    const refused = isForbidden(error) || isUnauthorized(error) || isNotFound(error);
    const wait = Math.min(backoff.next('watch'), refused ? MAX_REFUSED_MS : maxMs);
    const asked = findCause(error, ProviderError)?.retryAfterMs ?? 0;
    return Math.max(jitter(wait, 0.2, random), asked);
  };
  return {
    afterFailure,
    afterWatch: ({ error, accepted, lastedMs }) => {
      const short = lastedMs < SHORT_MS;
      // A version that is too old right after the list may stay so, and lists are expensive.
      if (accepted && !(short && isGone(error))) backoff.forget('watch');
      const inOrder = error === undefined || isGone(error);
      return inOrder && !short ? 0 : afterFailure(error);
    },
    mayContinue: ({ error, accepted, lastedMs, progressed }) => {
      if (isGone(error)) return false;
      const inOrder = error === undefined && lastedMs >= SHORT_MS;
      if (progressed) {
        fruitless = 0;
        maxFruitless = FRUITLESS.min;
      } else if (!inOrder && (accepted || isInvalid(error))) fruitless++;
      if (fruitless < maxFruitless) return true;
      fruitless = 0;
      maxFruitless = Math.min(2 * maxFruitless, FRUITLESS.max);
      return false;
    },
  };
}
