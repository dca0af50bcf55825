import { messageOf } from '../errors/errors.ts';
import { type Clock, sleep } from '../time/clock.ts';

export interface FollowOptions<T> {
  readonly clock: Clock;
  readonly first: T;
  /** Reads the content again. */
  readonly read: (current: T) => Promise<T>;
  /** Whether nothing has changed. Default: it is the same object. */
  readonly isSame?: (current: T, next: T) => boolean;
  /** How old it may be, in ms. */
  readonly intervalMs: number;
  /** Called with changed content. If it throws, the content before stays in use. */
  readonly onChanged?: (next: T) => void;
  /** Called when `read` or `onChanged` fails, with each text once in a row. */
  readonly onFailed?: (text: string) => void;
}

/**
 * Content of files that are replaced while it is in use. Mounted Secrets and ConfigMaps are replaced by a symbolic link, which a watch on
 * the file misses, so they are read again. What cannot be read, as while it is replaced, leaves the last content in use.
 */
export interface Followed<T> {
  readonly current: T;
  /** Reads it again if it is older than the interval. Several calls share a read. */
  fresh(): Promise<T>;
  /** The same, however old it is: it was refused. */
  readAgain(): Promise<T>;
  /** Reads it again and again until the signal is aborted. */
  follow(signal: AbortSignal): Promise<void>;
}

export function followed<T>({
  clock,
  first,
  read,
  isSame = Object.is,
  intervalMs,
  onChanged,
  onFailed,
}: FollowOptions<T>): Followed<T> {
  let current = first;
  let readAt = clock.monotonic();
  let problem = '';
  let reading: Promise<T> | undefined;
  const look = async () => {
    readAt = clock.monotonic();
    const before = current;
    try {
      const next = await read(before);
      if (!isSame(before, next)) {
        current = next;
        onChanged?.(next);
      }
      problem = '';
    } catch (error) {
      current = before;
      const text = messageOf(error);
      if (text !== problem) onFailed?.(text);
      problem = text;
    }
    reading = undefined;
    return current;
  };
  const readAgain = () => {
    reading ??= look();
    return reading;
  };
  return {
    get current() {
      return current;
    },
    fresh: async () => {
      if (clock.monotonic() - readAt >= intervalMs) return readAgain();
      return reading ?? current;
    },
    readAgain,
    follow: async (signal) => {
      while (!signal.aborted) {
        await sleep(clock, intervalMs, signal).catch(() => undefined);
        if (!signal.aborted) await readAgain();
      }
    },
  };
}
