import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { WatchEvent, WatchOptions } from '../client/client.ts';
import type { KubeObject } from '../object/object.ts';

/** One watch request from its opening to its end, whatever ends it. */
export interface WatchSessionOptions<T extends KubeObject> extends Pick<Deps, 'clock' | 'random'> {
  /** `client.watch` or `client.watchMetadata`, bound to a type and selection. */
  readonly open: (options: WatchOptions) => AsyncIterable<WatchEvent<T>>;
  /** Start after this version; undefined: with a synthetic ADDED for everything there is. */
  readonly resourceVersion: string | undefined;
  /** Told of every event, bookmarks included. Must neither throw nor wait. */
  readonly onEvent: (event: WatchEvent<T>) => void;
  readonly onOpen?: () => void;
  readonly signal: AbortSignal;
}

export interface WatchSessionEnd {
  /** Absent if the server ended the watch in the ordinary way. */
  readonly error?: unknown;
  /** Where the next watch can go on without a gap. */
  readonly resourceVersion: string | undefined;
  /** Whether the server answered that it watches. */
  readonly accepted: boolean;
  /** From then to the end, in ms. */
  readonly lastedMs: number;
}

/** Servers send a bookmark about every minute, so that two missed ones mean a dead connection. */
const IDLE_MS = 130_000;

/** Follows one watch to its end; resolves, never rejects. */
export async function followWatch<T extends KubeObject>(
  options: WatchSessionOptions<T>,
): Promise<WatchSessionEnd> {
  const { clock, random, signal } = options;
  let openedAt: number | undefined;
  const life = () => ({
    accepted: openedAt !== undefined,
    lastedMs: openedAt === undefined ? 0 : clock.monotonic() - openedAt,
  });
  const cut = new AbortController();
  const onAbort = () => cut.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  const pulse = takePulse(clock, () =>
    cut.abort(new ProviderError('transient', `the watch gave no sign of life for ${IDLE_MS / 1000} s`)),
  );
  let resourceVersion = options.resourceVersion;
  try {
    const events = options.open({
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      // Spread, so that the watches of many clients do not end together.
      timeoutSeconds: 300 + Math.floor(300 * random()),
      signal: cut.signal,
      onOpen: () => {
        openedAt = clock.monotonic();
        options.onOpen?.();
      },
    });
    for await (const event of events) {
      if (signal.aborted) break;
      pulse.sign();
      openedAt ??= clock.monotonic();
      options.onEvent(event);
      resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
    }
    return { resourceVersion, ...life() };
  } catch (error) {
    return { error, resourceVersion, ...life() };
  } finally {
    pulse.stop();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Calls `onDeath` once if `sign` was not called for too long; costs no timer for each sign. */
function takePulse(clock: Clock, onDeath: () => void): { sign(): void; stop(): void } {
  let lastSign = clock.monotonic();
  let cancel: () => void;
  const check = () => {
    const idle = clock.monotonic() - lastSign;
    if (idle >= IDLE_MS) onDeath();
    else cancel = clock.after(IDLE_MS - idle, check);
  };
  cancel = clock.after(IDLE_MS, check);
  return {
    sign: () => {
      lastSign = clock.monotonic();
    },
    stop: () => cancel(),
  };
}
