import type { ByteBudget } from '../../base/collections/byte-budget.ts';
import type { Deps } from '../../base/deps.ts';
import { findCause, messageOf, ProviderError } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import { type Clock, sleep } from '../../base/time/clock.ts';
import {
  absent,
  createObservedVersions,
  type ObservedVersions,
  type SeenVersion,
} from '../cache/observed-versions.ts';
import type { KubeClient, PartialObject, WatchEvent } from '../client/client.ts';
import {
  isGone,
  isNotFound,
  isUnauthorized,
  isUnknownKind,
  KubeApiError,
  ResponseTooLargeError,
} from '../errors/errors.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';
import { createReconnectDelay } from '../watch/reconnect-delay.ts';
import { followWatch, type WatchSessionEnd } from '../watch/watch-session.ts';

export interface Observation {
  /**
   * True while the watch vouches that the object is the one that was seen. False after a change, while the watch is
   * not established or interrupted, and for ever where watching is forbidden: whoever keeps something read earlier
   * must then read it again.
   */
  isCurrent(): boolean;
  stop(): void;
}

/** The observers of one kind and namespace, and the watch they share: open from the first of them until `close`. */
export interface NotifierChannel {
  observe(name: string, seen: SeenVersion, onChange: () => void, poll: boolean): Observation;
  size(): number;
  /** Tells all observers, whatever they saw. */
  wake(): void;
  /** Tells those who still observe once. */
  close(): void;
}

export interface NotifierChannelOptions extends Pick<Deps, 'clock' | 'random' | 'log'> {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  /** What the names that pass may take in memory; default: no bound. */
  readonly names?: ByteBudget;
  /** The last observer stopped. */
  readonly onIdle: () => void;
}

/** A watch lags behind a read by milliseconds; a difference that outlives this is one. */
const LAG_MS = 100;
/** No server pauses for this long amid its account of everything there is. */
const QUIET_MS = 500;
/** In a namespace that is never quiet the account counts as complete after this. */
const MAX_ACCOUNT_MS = 10_000;
/** Waiting people look at this. */
const MAX_RECONNECT_MS = 5000;
/** Where watching is refused: how often the objects are asked for, and whether watching is allowed by now. */
const POLL_MS = 5000;
const RETRY_REFUSED_MS = 60_000;
/** Polls in flight. */
const POLL_WIDTH = 4;

export function createNotifierChannel(options: NotifierChannelOptions): NotifierChannel {
  const { clock, log, type, namespace, onIdle } = options;
  const versions = createObservedVersions(options.names);
  const stop = new AbortController();
  const watch = { live: false };
  void keepWatching(options, versions, watch, stop.signal);
  return {
    size: versions.size,
    observe: (name, seen, onChange, poll) => {
      let stopped = false;
      const tell = () => {
        if (stopped) return;
        try {
          onChange();
        } catch (error) {
          log.error('an observer failed', { resource: groupResource(type), error: messageOf(error) });
        }
      };
      const observed = versions.add({ name, seen, poll, tell });
      const cancelReview =
        watch.live && !observed.confirmed()
          ? clock.after(LAG_MS, () => watch.live && versions.review(observed))
          : () => undefined;
      return {
        isCurrent: () => !stopped && watch.live && observed.confirmed(),
        stop: () => {
          if (stopped) return;
          stopped = true;
          cancelReview();
          versions.remove(observed);
          if (versions.size() === 0) onIdle();
        },
      };
    },
    wake: versions.tellAll,
    close: () => {
      log.debug('stopped watching', { resource: groupResource(type), namespace });
      watch.live = false;
      stop.abort();
      versions.tellAll();
      versions.clear();
    },
  };
}

async function keepWatching(
  options: NotifierChannelOptions,
  versions: ObservedVersions,
  watch: { live: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, log, type, namespace } = options;
  const delay = createReconnectDelay({ random, maxMs: MAX_RECONNECT_MS });
  let resume: string | undefined;
  versions.restart({ trustOrder: true });
  while (!signal.aborted) {
    const { end, complete } = await watchOnce(options, versions, watch, resume, signal);
    if (signal.aborted) return;
    const { error } = end;
    if (error !== undefined) {
      log.debug('a watch ended', { resource: groupResource(type), namespace, error: messageOf(error) });
    }
    const waitMs = delay.afterWatch(end);
    // Where the account had not ended, nothing can be resumed: what was left of it would be missing.
    resume = complete || resume !== undefined ? end.resourceVersion : undefined;
    const isOfNoUse = isRefused(error) || exceedsLimits(error);
    if (isGone(error) || isOfNoUse) resume = undefined;
    // After a gap even an older version is news: the server's data may have been restored from a backup.
    if (resume === undefined) versions.restart({ trustOrder: !isGone(error) });
    if (isOfNoUse) await askInstead(options, versions, error, signal);
    else await sleep(clock, waitMs, signal).catch(() => undefined);
  }
}

/** One watch: first the server's account of what there is (or was missed), then what happens. */
async function watchOnce(
  { client, type, namespace, clock, random }: NotifierChannelOptions,
  versions: ObservedVersions,
  watch: { live: boolean },
  resume: string | undefined,
  signal: AbortSignal,
): Promise<{ end: WatchSessionEnd; complete: boolean }> {
  const account = followAccount(clock, () => {
    watch.live = true;
    versions.review();
  });
  const selection = namespace === undefined ? {} : { namespace };
  const full = new AbortController();
  const ended = await followWatch<PartialObject>({
    clock,
    random,
    open: (watchOptions) => client.watchMetadata(type, { ...selection, ...watchOptions }),
    resourceVersion: resume,
    onOpen: account.begin,
    onEvent: (event) => {
      if (!note(versions, event)) full.abort(new TooManyNamesError());
      if (full.signal.aborted) return;
      // The account of a fresh watch has ADDED events only.
      if (resume === undefined && event.type !== 'ADDED') account.end();
      else account.goOn();
    },
    signal: AbortSignal.any([signal, full.signal]),
  });
  const end = full.signal.aborted ? { ...ended, error: full.signal.reason } : ended;
  const complete = watch.live;
  account.cancel();
  watch.live = false;
  return { end, complete };
}

/** Names are remembered to notice what changed before it was observed; without room for them the watch is of no use. */
class TooManyNamesError extends ProviderError {
  constructor() {
    super('transient', 'the watch names more objects than are remembered');
  }
}

/** @returns false where there is no room for a name */
function note(versions: ObservedVersions, event: WatchEvent<PartialObject>): boolean {
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

/** Calls `onEnd` once: when told, or when it has been quiet for a while. */
function followAccount(clock: Clock, onEnd: () => void) {
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
    if (quietIn <= 0 || now - (begunAt ?? now) >= MAX_ACCOUNT_MS) end();
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

/** Our rights or the server's kinds do not allow the watch; repeating it soon is of no use. */
function isRefused(error: unknown): boolean {
  const status = findCause(error, KubeApiError)?.status ?? 0;
  return status >= 400 && status < 500 && ![408, 409, 410, 429].includes(status);
}

/** The server sends more than is read or remembered of it, and would again. */
function exceedsLimits(error: unknown): boolean {
  return (
    findCause(error, TooManyNamesError) !== undefined || findCause(error, ResponseTooLargeError) !== undefined
  );
}

/** Asks for the observed objects one by one until it is time to try the watch again. */
async function askInstead(
  options: NotifierChannelOptions,
  versions: ObservedVersions,
  refusal: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random } = options;
  const retryAt = clock.monotonic() + (isUnauthorized(refusal) ? 0 : jitter(RETRY_REFUSED_MS, 0.2, random));
  do {
    await sleep(clock, jitter(POLL_MS, 0.2, random), signal).catch(() => undefined);
    const kindIsServed = await askAll(options, versions, signal);
    if (kindIsServed && isUnknownKind(refusal)) return;
  } while (!signal.aborted && clock.monotonic() < retryAt);
}

/** @returns whether the server answered for any object as one whose kind it serves */
async function askAll(
  { client, type, namespace }: NotifierChannelOptions,
  versions: ObservedVersions,
  signal: AbortSignal,
): Promise<boolean> {
  const names = versions.polled();
  let kindIsServed = false;
  const ask = async () => {
    for (let name = names.pop(); name !== undefined && !signal.aborted; name = names.pop()) {
      try {
        const key = namespace === undefined ? { name } : { name, namespace };
        const { metadata } = await client.getMetadata(type, key, { signal });
        kindIsServed = true;
        versions.answer(name, metadata.resourceVersion ?? '');
      } catch (error) {
        // Any other answer says nothing about the object.
        if (!isNotFound(error)) continue;
        kindIsServed ||= !isUnknownKind(error);
        versions.answer(name, absent);
      }
    }
  };
  await Promise.all(Array.from({ length: POLL_WIDTH }, ask));
  return kindIsServed;
}
