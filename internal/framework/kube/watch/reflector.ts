/**
 * Follows a collection of the API server: list, then watch from that version. After errors of connection, server,
 * permissions or a missing kind it retries without a limit; it throws nothing.
 */

import type { Deps } from '../../base/deps.ts';
import { findCause } from '../../base/errors/errors.ts';
import { sleep } from '../../base/time/clock.ts';
import type { ListOptions, Page, WatchEvent, WatchOptions } from '../client/client.ts';
import { isGone, ResponseTooLargeError } from '../errors/errors.ts';
import type { KubeObject } from '../object/object.ts';
import { createReconnectDelay, followWatch } from './watch-session.ts';

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
