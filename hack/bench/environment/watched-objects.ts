import { sleep } from '../../../internal/framework/base/time/clock.ts';
import type { BenchEnvironment } from './environment.ts';

interface Named {
  readonly metadata: { readonly name: string };
}

/** Objects of one collection, as a watch of the bench reports them. */
export interface WatchedObjects<T> extends Disposable {
  /** Those that exist, by their name. */
  readonly objects: ReadonlyMap<string, T>;
  /** When each was ready for the first time, by the clock's monotonic time in ms. */
  readonly readyAt: ReadonlyMap<string, number>;
  /**
   * Resolves when nothing is missing.
   *
   * @param missing says what is, with the state of one of the objects
   */
  until(missing: () => string | undefined, timeoutMs: number): Promise<void>;
}

export function watchObjects<T extends Named>(
  { management, clock, signal }: BenchEnvironment,
  path: string,
  isReady: (object: T) => boolean,
): WatchedObjects<T> {
  const stopping = new AbortController();
  const objects = new Map<string, T>();
  const readyAt = new Map<string, number>();
  let failure: unknown;
  const watching = management.watch<T>(
    `${path}${path.includes('?') ? '&' : '?'}watch=true`,
    ({ type, object }) => {
      const { name } = object.metadata;
      if (type === 'DELETED') objects.delete(name);
      else objects.set(name, object);
      if (isReady(object) && !readyAt.has(name)) readyAt.set(name, clock.monotonic());
    },
    stopping.signal,
  );
  watching.catch((error: unknown) => {
    failure = error;
  });
  return {
    objects,
    readyAt,
    until: async (missing, timeoutMs) => {
      const deadline = clock.monotonic() + timeoutMs;
      for (let what = missing(); what !== undefined; what = missing()) {
        if (failure !== undefined) throw failure;
        if (clock.monotonic() > deadline) throw new Error(`${what} after ${timeoutMs / 1000} s`);
        await sleep(clock, 50, signal);
      }
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

/** By lists: a watch can miss deletions, as after a reconnect it reports what exists, not what was deleted meanwhile. */
export async function untilNoneIsLeft(
  { management, clock, signal }: BenchEnvironment,
  path: string,
  timeoutMs: number,
): Promise<void> {
  const deadline = clock.monotonic() + timeoutMs;
  const first = `${path}${path.includes('?') ? '&' : '?'}limit=1`;
  for (;;) {
    const { items } = await management.send<{ readonly items: readonly unknown[] }>({ path: first });
    if (items.length === 0) return;
    if (clock.monotonic() > deadline) throw new Error(`${path} has objects left after ${timeoutMs / 1000} s`);
    await sleep(clock, 50, signal);
  }
}
