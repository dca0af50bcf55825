import type { Deps } from '../../base/deps.ts';
import type { WatchEvent } from '../client/client.ts';
import type { KubeObject } from '../object/object.ts';
import type { AnyObject, MemoryStore, StoredEvent } from './memory-store.ts';

/** The watches of all kinds of a memory client. */
export interface MemoryWatches {
  follow(store: MemoryStore, watch: MemoryWatch): AsyncGenerator<WatchEvent<AnyObject>>;
  /** Something was written. */
  notify(): void;
  hold(): () => void;
  /** Watches from versions before this one are refused, and open watches fail. */
  expire(): void;
  /** The oldest version from which a watch can begin. */
  oldest(): number;
}

export interface MemoryWatch {
  /** Undefined: begins with an ADDED for each object. */
  readonly after: number | undefined;
  readonly wanted: (object: KubeObject) => boolean;
  readonly timeoutSeconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly bookmark: (version: number) => AnyObject;
  readonly expired: () => never;
}

const BOOKMARK_INTERVAL_MS = 60_000;
/** The last bookmark is sent so long before the end of the watch. */
const LAST_BOOKMARK_MS = 2000;

/** @param version the latest one of the cluster */
export function createMemoryWatches({ clock }: Pick<Deps, 'clock'>, version: () => number): MemoryWatches {
  const listeners = new Set<() => void>();
  const holds = new Map<symbol, number>();
  let oldest = 0;
  let expirations = 0;
  const notify = () => {
    for (const listener of [...listeners]) listener();
  };
  const woken = (ms: number, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve) => {
      const end = () => {
        listeners.delete(end);
        signal?.removeEventListener('abort', end);
        cancel();
        resolve();
      };
      const cancel = clock.after(ms, end);
      listeners.add(end);
      signal?.addEventListener('abort', end, { once: true });
    });
  async function* follow(store: MemoryStore, watch: MemoryWatch): AsyncGenerator<WatchEvent<AnyObject>> {
    const { wanted, timeoutSeconds = Number.POSITIVE_INFINITY, signal, bookmark, expired } = watch;
    const { history } = store;
    const { after = version() } = watch;
    if (after < Math.max(oldest, store.compacted.version)) expired();
    const generation = expirations;
    const endsAt = clock.monotonic() + timeoutSeconds * 1000;
    const nextBookmark = () => {
      const regular = clock.monotonic() + BOOKMARK_INTERVAL_MS;
      const last = endsAt - LAST_BOOKMARK_MS;
      return last > clock.monotonic() ? Math.min(regular, last) : regular;
    };
    let bookmarkAt = nextBookmark();
    const later = history.findIndex((event) => event.version > after);
    let next = store.compacted.events + (later < 0 ? history.length : later);
    if (watch.after === undefined)
      for (const object of store.list().filter(wanted)) yield { type: 'ADDED', object };
    for (;;) {
      signal?.throwIfAborted();
      if (generation !== expirations || next < store.compacted.events) expired();
      const visible = Math.min(version(), ...holds.values());
      const event = history[next - store.compacted.events];
      const now = clock.monotonic();
      if (event !== undefined && event.version <= visible) {
        next++;
        const seen = seenBy(event, wanted);
        if (seen !== undefined) yield seen;
      } else if (now >= endsAt) return;
      else if (now >= bookmarkAt) {
        bookmarkAt = nextBookmark();
        yield { type: 'BOOKMARK', object: bookmark(visible) };
      } else await woken(Math.min(endsAt, bookmarkAt) - now, signal);
    }
  }
  return {
    follow,
    notify,
    hold: () => {
      const id = Symbol('hold');
      holds.set(id, version());
      return () => {
        holds.delete(id);
        notify();
      };
    },
    expire: () => {
      oldest = version();
      expirations++;
      notify();
    },
    oldest: () => oldest,
  };
}

/** As a watch with a selection reports the event: an object that no longer matches is deleted. Undefined: not at all. */
function seenBy(
  { type, object, old }: StoredEvent,
  wanted: (object: KubeObject) => boolean,
): WatchEvent<AnyObject> | undefined {
  const was = old !== undefined && wanted(old);
  if (type !== 'DELETED' && wanted(object)) return { type: was ? 'MODIFIED' : 'ADDED', object };
  if (!was) return undefined;
  const { resourceVersion = '' } = object.metadata;
  return { type: 'DELETED', object: { ...old, metadata: { ...old.metadata, resourceVersion } } };
}
