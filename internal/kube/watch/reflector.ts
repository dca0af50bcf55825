/**
 * Keeps a copy of a collection true to the API server: list, then watch from there, for ever. Whatever happens to the
 * connection, the server, our permissions or the kind itself, it goes on; nothing is thrown out of it.
 */

import type { Deps } from '../../base/deps.ts';
import { findCause } from '../../base/errors/errors.ts';
import { sleep } from '../../base/time/clock.ts';
import type { ListOptions, Page, WatchEvent, WatchOptions } from '../client/client.ts';
import { isGone, ResponseTooLargeError } from '../errors/errors.ts';
import type { KubeObject } from '../object/object.ts';
import { createReconnectDelay } from './reconnect-delay.ts';
import { followWatch } from './watch-session.ts';

/** The collection: a client's list and watch, bound to type and selection. */
export interface ReflectorSource<T extends KubeObject> {
  list(options: ListOptions): Promise<Page<T>>;
  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

/** Where a reflector puts what it learns. The functions must neither throw nor wait. */
export interface ReflectorSink<T> {
  /** Each object as it arrives; what it returns is passed on, so that nothing else needs to be kept. */
  transform(object: T): T;
  /** Everything there is, after a complete list. */
  replace(objects: readonly T[]): void;
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void;
  watching(): void;
  /** Something is wrong; the next attempt follows by itself. */
  failing(error: unknown, retryInMs: number): void;
}

export interface ReflectorOptions<T extends KubeObject> extends Pick<Deps, 'clock' | 'random'> {
  readonly source: ReflectorSource<T>;
  readonly sink: ReflectorSink<T>;
}

const PAGE_SIZE = 500;

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
  const pages = { size: PAGE_SIZE };
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
    resourceVersion = isGone(end.error) ? undefined : end.resourceVersion;
    await pause(end.error ?? new Error('the server ended the watch at once'), delay.afterWatch(end));
  }
}

/**
 * Reads all pages into the sink and returns the version to watch from. The pages are of one moment; a server that
 * forgets that moment in between (410) makes the list start over, at last in one piece.
 */
async function relist<T extends KubeObject>(
  source: ReflectorSource<T>,
  sink: ReflectorSink<T>,
  pages: { size: number },
  signal: AbortSignal,
): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      const { objects, resourceVersion } = await listAll(source, sink, attempt < 2 ? pages.size : 0, signal);
      signal.throwIfAborted();
      sink.replace(objects);
      return resourceVersion;
    } catch (error) {
      if (findCause(error, ResponseTooLargeError)) pages.size = Math.max(1, Math.floor(pages.size / 4));
      if (!isGone(error) || attempt >= 2) throw error;
    }
  }
}

async function listAll<T extends KubeObject>(
  source: ReflectorSource<T>,
  sink: ReflectorSink<T>,
  limit: number,
  signal: AbortSignal,
): Promise<{ objects: T[]; resourceVersion: string }> {
  const objects: T[] = [];
  let next: string | undefined;
  for (;;) {
    const page = await source.list({ limit, signal, ...(next === undefined ? {} : { continue: next }) });
    for (const object of page.items) objects.push(sink.transform(object));
    if (page.continue === undefined) return { objects, resourceVersion: page.resourceVersion };
    next = page.continue;
  }
}
