import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { WatchEvent, WatchOptions } from '../client/client.ts';
import type { KubeObject } from '../object/object.ts';

/** One watch request, from its start to its end. */
export interface WatchSessionOptions<T extends KubeObject> extends Pick<Deps, 'clock' | 'random'> {
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
