import type { ByteBudget } from '../../base/collections/byte-budget.ts';
import type { Deps } from '../../base/deps.ts';
import { findCause, messageOf, ProviderError } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import { type Clock, sleep } from '../../base/time/clock.ts';
import type { KubeClient, PartialObject, WatchEvent } from '../client/client.ts';
import {
  isNotFound,
  isUnauthorized,
  isUnknownKind,
  KubeApiError,
  ResponseTooLargeError,
} from '../errors/errors.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';
import { createReconnectDelay, followWatch, type WatchSessionEnd } from '../watch/reflector.ts';
import { absent, createWatchedVersions, type ReadVersion, type WatchedVersions } from './watched-versions.ts';

export interface ObjectWatch {
  /**
   * True while the watch confirms that the object still has the version that was read. False after a change, while the
   * watch is not established, and where watching is forbidden: what was read earlier must then be read again.
   */
  isCurrent(): boolean;
  stop(): void;
}

/** The subscribers of one kind and namespace and the watch they share. It is open from its creation until `close`. */
export interface SharedWatch {
  watch(
    name: string,
    readVersion: ReadVersion,
    onChange: (now: ReadVersion) => void,
    poll: boolean,
  ): ObjectWatch;
  size(): number;
  /** Calls all subscribers, whatever version they read. */
  notifyAll(): void;
  /** Ends the watch after a last call of each subscriber. */
  close(): void;
}

export interface SharedWatchOptions extends Pick<Deps, 'clock' | 'random' | 'log'> {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  /** Memory for the names that the watch reports; default: no bound. */
  readonly names?: ByteBudget;
  /** The last subscriber stopped. */
  readonly onIdle: () => void;
}

/** A watch lags behind a read by milliseconds; a difference that lasts longer is a change. */
const LAG_MS = 100;
/** No server pauses for this long while it sends its initial events. */
const QUIET_MS = 500;
/** In a namespace with constant changes the initial events count as complete after this. */
const MAX_INITIAL_MS = 10_000;
/** Short, since users wait for the change. */
const MAX_RECONNECT_MS = 5000;
/** Where watching is refused: the interval of GET requests for the objects, and of attempts to watch again. */
const POLL_MS = 5000;
const RETRY_REFUSED_MS = 60_000;

export function createSharedWatch(options: SharedWatchOptions): SharedWatch {
  const { clock, log, type, namespace, onIdle } = options;
  const versions = createWatchedVersions(options.names);
  const stop = new AbortController();
  const state = { live: false };
  void keepWatching(options, versions, state, stop.signal);
  return {
    size: versions.size,
    watch: (name, readVersion, onChange, poll) => {
      let stopped = false;
      const notify = (now: ReadVersion) => {
        if (stopped) return;
        try {
          onChange(now);
        } catch (error) {
          log.error('an observer failed', { resource: groupResource(type), error: messageOf(error) });
        }
      };
      const observed = versions.add({ name, readVersion, poll, notify });
      const cancelReview =
        state.live && !observed.confirmed()
          ? clock.after(LAG_MS, () => state.live && versions.review(observed))
          : () => undefined;
      return {
        isCurrent: () => !stopped && state.live && observed.confirmed(),
        stop: () => {
          if (stopped) return;
          stopped = true;
          cancelReview();
          versions.remove(observed);
          if (versions.size() === 0) onIdle();
        },
      };
    },
    notifyAll: versions.notifyAll,
    close: () => {
      log.debug('stopped watching', { resource: groupResource(type), namespace });
      state.live = false;
      stop.abort();
      versions.notifyAll();
      versions.clear();
    },
  };
}

async function keepWatching(
  options: SharedWatchOptions,
  versions: WatchedVersions,
  state: { live: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, log, type, namespace } = options;
  const delay = createReconnectDelay({ random, maxMs: MAX_RECONNECT_MS });
  let resume: string | undefined;
  versions.restart({ trustOrder: true });
  while (!signal.aborted) {
    const { end, complete } = await watchOnce(options, versions, state, resume, signal);
    if (signal.aborted) return;
    const { error } = end;
    if (error !== undefined) {
      log.debug('a watch ended', { resource: groupResource(type), namespace, error: messageOf(error) });
    }
    const waitMs = delay.afterWatch(end);
    // A watch that ended before its initial events were complete cannot be resumed: the rest would be missing.
    resume = complete || resume !== undefined ? end.resourceVersion : undefined;
    const mustPoll = isRefused(error) || exceedsLimits(error);
    const mayContinue = delay.mayContinue(end);
    if (!mayContinue || mustPoll) resume = undefined;
    // Else an older version is a change too: the server's data may have been restored from a backup.
    if (resume === undefined) versions.restart({ trustOrder: mayContinue });
    if (mustPoll) await pollInstead(options, versions, error, signal);
    else await sleep(clock, waitMs, signal).catch(() => undefined);
  }
}

/** One watch: first the initial events (or those since the last watch), then the changes. */
async function watchOnce(
  { client, type, namespace, clock, random }: SharedWatchOptions,
  versions: WatchedVersions,
  state: { live: boolean },
  resume: string | undefined,
  signal: AbortSignal,
): Promise<{ end: WatchSessionEnd; complete: boolean }> {
  const initial = trackInitialEvents(clock, () => {
    state.live = true;
    versions.review();
  });
  const selection = namespace === undefined ? {} : { namespace };
  const full = new AbortController();
  const ended = await followWatch<PartialObject>({
    clock,
    random,
    open: (watchOptions) => client.watchMetadata(type, { ...selection, ...watchOptions }),
    resourceVersion: resume,
    onOpen: initial.begin,
    onEvent: (event) => {
      if (!note(versions, event)) full.abort(new TooManyNamesError());
      if (full.signal.aborted) return;
      // The initial events of a fresh watch are ADDED events only.
      if (resume === undefined && event.type !== 'ADDED') initial.end();
      else initial.goOn();
    },
    signal: AbortSignal.any([signal, full.signal]),
  });
  const end = full.signal.aborted ? { ...ended, error: full.signal.reason } : ended;
  const complete = state.live;
  initial.cancel();
  state.live = false;
  return { end, complete };
}

/** Without the names and versions of all objects, a change before `watch` was called would be missed. */
class TooManyNamesError extends ProviderError {
  constructor() {
    super('transient', 'there is no memory for the names of the watched objects');
  }
}

/** @returns false if the budget for names is used up */
function note(versions: WatchedVersions, event: WatchEvent<PartialObject>): boolean {
  const { name, resourceVersion = '' } = event.object.metadata;
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
      return versions.put(name, resourceVersion);
    case 'DELETED':
      versions.drop(name, resourceVersion);
      return true;
    case 'BOOKMARK':
      return true;
    default:
      return event.type satisfies never;
  }
}

/** Calls `onEnd` once: on `end`, or after `QUIET_MS` without an event. */
function trackInitialEvents(clock: Clock, onEnd: () => void) {
  let cancel: () => void = () => undefined;
  let begunAt: number | undefined;
  let lastAt = 0;
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    cancel();
    onEnd();
  };
  const check = () => {
    const now = clock.monotonic();
    const quietIn = QUIET_MS - (now - lastAt);
    if (quietIn <= 0 || now - (begunAt ?? now) >= MAX_INITIAL_MS) end();
    else cancel = clock.after(quietIn, check);
  };
  const goOn = () => {
    lastAt = clock.monotonic();
    if (begunAt !== undefined || ended) return;
    begunAt = lastAt;
    cancel = clock.after(QUIET_MS, check);
  };
  return { begin: goOn, goOn, end, cancel: () => cancel() };
}

/** Permissions or the kinds that are served do not allow the watch; an early retry would fail again. */
function isRefused(error: unknown): boolean {
  const status = findCause(error, KubeApiError)?.status ?? 0;
  return status >= 400 && status < 500 && ![408, 409, 410, 429].includes(status);
}

/** The server sends more than the limits allow, and would do so again. */
function exceedsLimits(error: unknown): boolean {
  return (
    findCause(error, TooManyNamesError) !== undefined || findCause(error, ResponseTooLargeError) !== undefined
  );
}

/** Reads the watched objects with GET until it is time to try the watch again. */
async function pollInstead(
  options: SharedWatchOptions,
  versions: WatchedVersions,
  refusal: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random } = options;
  const retryAt = clock.monotonic() + (isUnauthorized(refusal) ? 0 : jitter(RETRY_REFUSED_MS, 0.2, random));
  do {
    await sleep(clock, jitter(POLL_MS, 0.2, random), signal).catch(() => undefined);
    const kindIsServed = await pollAll(options, versions, signal);
    if (kindIsServed && isUnknownKind(refusal)) return;
  } while (!signal.aborted && clock.monotonic() < retryAt);
}

/**
 * One request at a time: an object watcher never has more connections than watches, however slow the server is.
 *
 * @returns whether a response shows that the server serves the kind
 */
async function pollAll(
  { client, type, namespace }: SharedWatchOptions,
  versions: WatchedVersions,
  signal: AbortSignal,
): Promise<boolean> {
  let kindIsServed = false;
  for (const name of versions.polled()) {
    if (signal.aborted) break;
    try {
      const key = namespace === undefined ? { name } : { name, namespace };
      const { metadata } = await client.getMetadata(type, key, { signal });
      kindIsServed = true;
      versions.setPolled(name, metadata.resourceVersion ?? '');
    } catch (error) {
      // Other errors say nothing about the object.
      if (!isNotFound(error)) continue;
      kindIsServed ||= !isUnknownKind(error);
      versions.setPolled(name, absent);
    }
  }
  return kindIsServed;
}
