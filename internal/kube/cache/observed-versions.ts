/**
 * What a watch knows of the versions of the objects of one kind and namespace, held against what observers saw.
 *
 * A reader and a watch learn of a change at different times, so that a difference has two meanings: the object
 * changed (tell), or the watch has yet to hear of the version that was read (its event follows). Versions that have
 * an order tell the two apart; without one a difference counts, since an observer that looks once too often is better
 * than one that sleeps.
 */
import { type ByteBudget, unlimitedBytes } from '../../base/collections/byte-budget.ts';
import { isOlder } from '../object/resource-version.ts';

export const absent = 'absent';
/** A resourceVersion, or `absent`. */
type Version = string;
/** The version of an object that its reader saw: its resourceVersion, or that it did not exist. */
export type SeenVersion = string | 'absent';

/** Of a version, in characters; those of API servers have about ten. */
const MAX_VERSION = 256;

/** A version that may be kept: those that are longer are all the same, since no API server gives them. */
export function keptVersion(version: Version): Version {
  return version.length <= MAX_VERSION ? version : 'too long';
}

export interface Observed {
  readonly name: string;
  readonly poll: boolean;
  /** True while nothing is known to differ from what was seen, and something vouches for it. */
  confirmed(): boolean;
}

export interface ObservedOptions {
  readonly name: string;
  readonly seen: Version;
  /** May be asked for one by one. */
  readonly poll: boolean;
  /** Called again for each further version. */
  readonly tell: () => void;
}

export interface ObservedVersions {
  /** Compares at once with what is known, which tells nobody yet: see `review`. */
  add(options: ObservedOptions): Observed;
  remove(observed: Observed): void;
  size(): number;
  /** Names with an observer that may be polled. */
  polled(): string[];
  /**
   * An object exists in this version.
   *
   * @returns false where there is no room to remember it: nothing vouches for what is known any more
   */
  put(name: string, version: Version): boolean;
  /** An object was deleted; the version is that of the deletion. */
  drop(name: string, version: Version): void;
  /** A complete account follows, at whose end `review` is called. */
  restart(options: { readonly trustOrder: boolean }): void;
  /** What is known is complete: tells observers whose object differs, `only` one or all. */
  review(only?: Observed): void;
  /** The outcome of asking for one object. */
  answer(name: string, version: Version): void;
  tellAll(): void;
  /** Forgets all observers, and what is known. */
  clear(): void;
}

interface Entry extends Observed {
  readonly options: ObservedOptions;
  /** What was seen, then what was told last. */
  latest: Version;
  state: 'unconfirmed' | 'confirmed' | 'told';
}

/** Of one name with its version, beside their texts. */
const NAME_BYTES = 120;
const bytesOf = (name: string, version: Version) => NAME_BYTES + 2 * (name.length + version.length);

/** @param budget what names and versions take from; default: no bound */
export function createObservedVersions(budget: ByteBudget = unlimitedBytes): ObservedVersions {
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
  const tell = (entry: Entry, now: Version) => {
    entry.state = 'told';
    entry.latest = now;
    entry.options.tell();
  };
  const judge = (entry: Entry, now: Version) => {
    if (now !== entry.latest) tell(entry, now);
    else if (entry.state === 'unconfirmed') entry.state = 'confirmed';
  };
  /** The watch may be behind the reader; the event that is missing then makes up for it. */
  const behind = (entry: Entry, version: Version) => trustOrder && isOlder(version, entry.latest);
  const of = (name: string): Entry[] => [...(entries.get(name) ?? [])];
  const all = (): Entry[] => [...entries.values()].flatMap((set) => [...set]);
  const review = (entry: Entry) => {
    const now = known.get(entry.name) ?? absent;
    if (!behind(entry, now)) judge(entry, now);
  };

  return {
    add: (options) => {
      const entry: Entry = {
        name: options.name,
        poll: options.poll,
        options,
        latest: keptVersion(options.seen),
        state:
          (known.get(options.name) ?? absent) === keptVersion(options.seen) ? 'confirmed' : 'unconfirmed',
        confirmed: () => entry.state === 'confirmed',
      };
      count++;
      const set = entries.get(options.name);
      if (set) set.add(entry);
      else entries.set(options.name, new Set([entry]));
      return entry;
    },
    remove: (observed) => {
      const set = entries.get(observed.name);
      for (const entry of set ?? []) if (entry === observed && set?.delete(entry)) count--;
      if (set?.size === 0) entries.delete(observed.name);
    },
    size: () => count,
    polled: () => [...entries].flatMap(([name, set]) => ([...set].some(({ poll }) => poll) ? [name] : [])),
    put: (name, told) => {
      const version = keptVersion(told);
      if (!remember(name, version)) return false;
      for (const entry of of(name)) if (!behind(entry, version)) judge(entry, version);
      return true;
    },
    drop: (name, version) => {
      forget(name);
      for (const entry of of(name)) if (!behind(entry, version)) judge(entry, absent);
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
    answer: (name, told) => {
      const version = keptVersion(told);
      for (const entry of of(name)) if (version !== entry.latest) tell(entry, version);
    },
    tellAll: () => {
      for (const entry of all()) tell(entry, entry.latest);
    },
    clear: () => {
      forgetAll();
      entries.clear();
      count = 0;
    },
  };
}
