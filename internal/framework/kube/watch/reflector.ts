/**
 * Follows a collection of the API server: list, then watch from that version. After errors of connection, server,
 * permissions or a missing kind it retries without a limit; it throws nothing.
 */
import type { Deps } from '../../base/deps.ts';
import { findCause, ProviderError } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import { type Clock, sleep } from '../../base/time/clock.ts';
import type { ListOptions, Page, WatchEvent, WatchOptions } from '../client/client.ts';
import {
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isUnauthorized,
  ResponseTooLargeError,
} from '../errors/errors.ts';
import type { KubeObject } from '../object/object.ts';

/** List and watch of a client, bound to type and selection. */
export interface ReflectorSource<T extends KubeObject> {
  list(options: ListOptions): Promise<Page<T>>;
  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

/** Receives objects and events of a reflector. The functions must neither throw nor block. */
export interface ReflectorSink<T> {
  /** Called for each object that arrives; its result is what `replace` and `apply` get. */
  transform(object: T): T;
  /** All objects, after a complete list. */
  replace(objects: readonly T[]): void;
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void;
  watching(): void;
  /** List or watch failed; the reflector retries. */
  failing(error: unknown, retryInMs: number): void;
}

export interface ReflectorOptions<T extends KubeObject> extends Pick<Deps, 'clock' | 'random'> {
  readonly source: ReflectorSource<T>;
  readonly sink: ReflectorSink<T>;
}

const PAGE_SIZE = 500;
/**
 * Of a page of several objects: users may write objects of 1.5 MiB, and a page is in memory several times while it is parsed. A page
 * of one object may have what the client reads.
 */
const PAGE_BYTES = 4 * 1024 * 1024;

/** `size`: objects of the next page; zero: all. */
interface Pages {
  size: number;
}

/** Starts at once. The returned function ends it. */
export function startReflector<T extends KubeObject>(options: ReflectorOptions<T>): () => void {
  const stop = new AbortController();
  void reflect(options, stop.signal);
  return () => stop.abort();
}

async function reflect<T extends KubeObject>(
  options: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const { source, sink, clock, random } = options;
  const delay = createReconnectDelay({ random });
  const pages: Pages = { size: PAGE_SIZE };
  const pause = async (error: unknown, waitMs: number) => {
    if (signal.aborted || waitMs === 0) return;
    sink.failing(error, waitMs);
    await sleep(clock, waitMs, signal).catch(() => undefined);
  };
  let resourceVersion: string | undefined;
  while (!signal.aborted) {
    try {
      resourceVersion ??= await relist(source, sink, pages, signal);
    } catch (error) {
      await pause(error, delay.afterFailure(error));
      continue;
    }
    const end = await followWatch({
      clock,
      random,
      open: source.watch,
      resourceVersion,
      onOpen: sink.watching,
      onEvent: (event) => {
        if (event.type !== 'BOOKMARK') sink.apply(event.type, sink.transform(event.object));
      },
      signal,
    });
    resourceVersion = delay.mayContinue(end) ? end.resourceVersion : undefined;
    await pause(end.error ?? new Error('the server ended the watch at once'), delay.afterWatch(end));
  }
}

/**
 * Lists all pages into the sink and returns the version to watch from. All pages have the same version. If it expires in
 * between (410), the list starts again, the last time without pages.
 */
async function relist<T extends KubeObject>(
  source: ReflectorSource<T>,
  sink: ReflectorSink<T>,
  pages: Pages,
  signal: AbortSignal,
): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      const { objects, resourceVersion } = await listAll(source, sink, attempt < 2 ? pages : whole, signal);
      signal.throwIfAborted();
      sink.replace(objects);
      return resourceVersion;
    } catch (error) {
      if (!isGone(error) || attempt >= 2) throw error;
    }
  }
}

/** In one response: its version cannot expire. */
const whole: Pages = { size: 0 };

/** @param pages changed to what the server's objects allow */
async function listAll<T extends KubeObject>(
  source: ReflectorSource<T>,
  sink: ReflectorSink<T>,
  pages: Pages,
  signal: AbortSignal,
): Promise<{ objects: T[]; resourceVersion: string }> {
  const objects: T[] = [];
  let next: string | undefined;
  for (;;) {
    const { size } = pages;
    try {
      const page = await source.list({
        limit: size,
        signal,
        ...(size > 1 ? { maxBytes: PAGE_BYTES } : {}),
        ...(next === undefined ? {} : { continue: next }),
      });
      for (const object of page.items) objects.push(sink.transform(object));
      if (page.continue === undefined) return { objects, resourceVersion: page.resourceVersion };
      next = page.continue;
      if (size > 0) pages.size = Math.min(PAGE_SIZE, 2 * size);
    } catch (error) {
      if (size <= 1 || findCause(error, ResponseTooLargeError) === undefined) throw error;
      pages.size = Math.floor(size / 4) || 1;
    }
  }
}

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
  /** The next delay is the first one again. */
  afterSuccess(): void;
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
  const afterSuccess = () => backoff.forget('watch');
  return {
    afterFailure,
    afterSuccess,
    afterWatch: ({ error, accepted, lastedMs }) => {
      const short = lastedMs < SHORT_MS;
      // A version that is too old right after the list may stay so, and lists are expensive.
      if (accepted && !(short && isGone(error))) afterSuccess();
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
