/**
 * The versions that a watch reports for the objects of one kind and namespace, compared with those that subscribers read.
 *
 * A read and a watch see a change at different times. So a difference has two meanings: the object changed, or the
 * watch is behind the read and the event follows. Versions that have an order decide which; without an order a
 * difference counts as a change, since an unnecessary notification is harmless and a missed one is not.
 */
import { type ByteBudget, unlimitedBytes } from '../../base/collections/byte-budget.ts';
import { isOlder } from '../object/object.ts';

export const absent = 'absent';
/** A resourceVersion, or `absent`. */
type Version = string;
/** The version of an object at a read: its resourceVersion, or that it did not exist. */
export type ReadVersion = string | 'absent';

/** In characters; versions of API servers have about ten. */
const MAX_VERSION = 256;

/** The version, or one constant for all that are too long to keep: no API server sends those. */
export function keptVersion(version: Version): Version {
  return version.length <= MAX_VERSION ? version : 'too long';
}

export interface Subscription {
  readonly name: string;
  readonly poll: boolean;
  /** True while the watch reports the version that was read. */
  confirmed(): boolean;
}

export interface SubscriptionOptions {
  readonly name: string;
  readonly readVersion: Version;
  /** May be read with GET where watching is forbidden. */
  readonly poll: boolean;
  /** Called again for each further version, with that version. */
  readonly notify: (now: Version) => void;
}

export interface WatchedVersions {
  /** Does not notify yet: see `review`. */
  add(options: SubscriptionOptions): Subscription;
  remove(subscription: Subscription): void;
  size(): number;
  /** Names with a subscription that may be polled. */
  polled(): string[];
  /**
   * An object exists in this version.
   *
   * @returns false if the budget is used up: what is known is no longer complete
   */
  put(name: string, version: Version): boolean;
  /** An object was deleted; the version is that of the deletion. */
  drop(name: string, version: Version): void;
  /** Initial events for all objects follow; `review` is called after the last of them. */
  restart(options: { readonly trustOrder: boolean }): void;
  /** What is known is complete: notifies subscriptions whose object differs, `only` one or all. */
  review(only?: Subscription): void;
  /** The result of a GET of one object. */
  setPolled(name: string, version: Version): void;
  notifyAll(): void;
  /** Removes all subscriptions and all that is known. */
  clear(): void;
}

interface Entry extends Subscription {
  readonly options: SubscriptionOptions;
  /** The version that was read, then the one of the last notification. */
  latest: Version;
  state: 'unconfirmed' | 'confirmed' | 'notified';
}

/** Memory of one entry, without its texts. */
const NAME_BYTES = 120;
const bytesOf = (name: string, version: Version) => NAME_BYTES + 2 * (name.length + version.length);

/** @param budget memory for names and versions; default: no bound */
export function createWatchedVersions(budget: ByteBudget = unlimitedBytes): WatchedVersions {
  const known = new Map<string, Version>();
  const entries = new Map<string, Set<Entry>>();
  let trustOrder = true;
  let count = 0;

  const forget = (name: string) => {
    const version = known.get(name);
    if (version === undefined) return;
    known.delete(name);
    budget.give(bytesOf(name, version));
  };
  const forgetAll = () => {
    for (const name of [...known.keys()]) forget(name);
  };
  const remember = (name: string, version: Version): boolean => {
    forget(name);
    if (!budget.take(bytesOf(name, version))) return false;
    known.set(name, version);
    return true;
  };
  const notify = (entry: Entry, now: Version) => {
    entry.state = 'notified';
    entry.latest = now;
    entry.options.notify(now);
  };
  const compare = (entry: Entry, now: Version) => {
    if (now !== entry.latest) notify(entry, now);
    else if (entry.state === 'unconfirmed') entry.state = 'confirmed';
  };
  /** The watch is behind the read; the missing event follows. */
  const behind = (entry: Entry, version: Version) => trustOrder && isOlder(version, entry.latest);
  const of = (name: string): Entry[] => [...(entries.get(name) ?? [])];
  const all = (): Entry[] => [...entries.values()].flatMap((set) => [...set]);
  const review = (entry: Entry) => {
    const now = known.get(entry.name) ?? absent;
    if (!behind(entry, now)) compare(entry, now);
  };

  return {
    add: (options) => {
      const entry: Entry = {
        name: options.name,
        poll: options.poll,
        options,
        latest: keptVersion(options.readVersion),
        state:
          (known.get(options.name) ?? absent) === keptVersion(options.readVersion)
            ? 'confirmed'
            : 'unconfirmed',
        confirmed: () => entry.state === 'confirmed',
      };
      count++;
      const set = entries.get(options.name);
      if (set) set.add(entry);
      else entries.set(options.name, new Set([entry]));
      return entry;
    },
    remove: (subscription) => {
      const set = entries.get(subscription.name);
      for (const entry of set ?? []) if (entry === subscription && set?.delete(entry)) count--;
      if (set?.size === 0) entries.delete(subscription.name);
    },
    size: () => count,
    polled: () => [...entries].flatMap(([name, set]) => ([...set].some(({ poll }) => poll) ? [name] : [])),
    put: (name, reported) => {
      const version = keptVersion(reported);
      if (!remember(name, version)) return false;
      for (const entry of of(name)) if (!behind(entry, version)) compare(entry, version);
      return true;
    },
    drop: (name, version) => {
      forget(name);
      for (const entry of of(name)) if (!behind(entry, version)) compare(entry, absent);
    },
    restart: (options) => {
      trustOrder = options.trustOrder;
      forgetAll();
      for (const entry of all()) if (entry.state === 'confirmed') entry.state = 'unconfirmed';
    },
    review: (only) => {
      for (const entry of all()) if (only === undefined || entry === only) review(entry);
      trustOrder = true;
    },
    setPolled: (name, polled) => {
      const version = keptVersion(polled);
      for (const entry of of(name)) if (version !== entry.latest) notify(entry, version);
    },
    notifyAll: () => {
      for (const entry of all()) notify(entry, entry.latest);
    },
    clear: () => {
      forgetAll();
      entries.clear();
      count = 0;
    },
  };
}
