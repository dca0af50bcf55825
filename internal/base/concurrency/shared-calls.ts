import { ProviderError } from '../errors/errors.ts';
import type { Clock } from '../time/clock.ts';
import { abandonable } from './abandonable.ts';

/** Calls that all who want the same answer at the same time share. */
export interface SharedCalls<T> {
  /**
   * Joins a call of the key, by the rule of `joins`, or begins one. The call is aborted when nobody waits for it any
   * more. Whoever joined one whose beginner gave up, and that failed thereby, begins another.
   *
   * @param stamp with `next`: a call that has begun may be joined as long as this is what it was then; default: none may
   * @throws what the call throws, and the signal's reason
   */
  join(
    key: string,
    call: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
    stamp?: () => number,
  ): Promise<T>;
  /** Aborts all that are under way. */
  abandonAll(why: string): void;
}

export interface SharedCallsOptions<T> {
  /** Told of each answer before those who wait are, unless the call was abandoned. */
  readonly onAnswer?: (key: string, answer: T) => void;
  /**
   * Which calls may be joined. `under-way`: any that has not ended. `next`: only one that has not begun, so that its
   * answer is never older than the request for it; a key has at most one call running, and the next one begins when it
   * ends. Default `under-way`.
   */
  readonly joins?: 'under-way' | 'next';
  /** With `next`: whether this error of the running call fails the next one as well. Default: no error does. */
  readonly failsNext?: (error: unknown) => boolean;
  /**
   * With `next`: a call of a key begins so long after the one before it at the earliest, unless that one failed. All who
   * ask meanwhile share it. The first call of a key begins at once. Default: as soon as the one before it has ended.
   */
  readonly spacing?: { readonly clock: Clock; readonly ms: number };
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
  ended: boolean;
  begunAt: number;
  /** At its begin. */
  stamp: number | undefined;
  /** Resolves when the next call of the key may begin. */
  readonly turnEnd: PromiseWithResolvers<void>;
  /** Whoever began it has left, and may have closed the connection it runs on. */
  orphaned: boolean;
}

export function createSharedCalls<T>(options: SharedCallsOptions<T> = {}): SharedCalls<T> {
  const { onAnswer, joins = 'under-way', failsNext = () => false, spacing } = options;
  /** Those that can be joined. */
  const flights = new Map<string, Flight<T>>();
  /** With `next`: those that have begun, until the next one of the key may begin. */
  const running = new Map<string, Flight<T>>();

  /** Waits until no other call of the key runs, and closes this one to callers that ask from now on. */
  const takeTurn = async (key: string, flight: Flight<T>, stamp?: () => number) => {
    const { signal } = flight.controller;
    const before = running.get(key);
    if (before) {
      await abandonable(before.result, signal).catch((error: unknown) => {
        if (failsNext(error)) throw error;
      });
      await abandonable(before.turnEnd.promise, signal);
    }
    signal.throwIfAborted();
    flights.delete(key);
    flight.stamp = stamp?.();
    flight.begunAt = spacing?.clock.monotonic() ?? 0;
    running.set(key, flight);
  };
  const endTurn = (key: string, flight: Flight<T>, failed: boolean) => {
    const end = () => {
      if (running.get(key) === flight) running.delete(key);
      flight.turnEnd.resolve();
    };
    const waitMs = spacing === undefined ? 0 : flight.begunAt + spacing.ms - spacing.clock.monotonic();
    if (spacing === undefined || failed || waitMs <= 0) end();
    else spacing.clock.after(waitMs, end);
  };
  const begin = (key: string, call: (signal: AbortSignal) => Promise<T>, stamp?: () => number): Flight<T> => {
    const controller = new AbortController();
    const fly = async () => {
      if (joins === 'next') await takeTurn(key, flight, stamp);
      const answer = await call(controller.signal);
      if (!controller.signal.aborted) onAnswer?.(key, answer);
      return answer;
    };
    const flight: Flight<T> = {
      controller,
      waiters: 0,
      ended: false,
      begunAt: 0,
      stamp: undefined,
      turnEnd: Promise.withResolvers(),
      orphaned: false,
      result: Promise.resolve().then(fly),
    };
    const land = (failed: boolean) => {
      flight.ended = true;
      if (flights.get(key) === flight) flights.delete(key);
      endTurn(key, flight, failed);
    };
    flight.result.then(
      () => land(false),
      () => land(true),
    );
    flights.set(key, flight);
    return flight;
  };
  const abandon = (key: string, flight: Flight<T>, why: string) => {
    if (flight.ended) return;
    // One that runs is removed at its end: until then the next one waits.
    if (flights.get(key) === flight) flights.delete(key);
    flight.controller.abort(new ProviderError('transient', why));
  };

  const runningOf = (key: string, stamp?: () => number): Flight<T> | undefined => {
    const flight = running.get(key);
    if (stamp === undefined || flight === undefined || flight.ended) return undefined;
    return !flight.controller.signal.aborted && flight.stamp === stamp() ? flight : undefined;
  };

  const join: SharedCalls<T>['join'] = async (key, call, signal, stamp) => {
    signal.throwIfAborted();
    const joined = runningOf(key, stamp) ?? flights.get(key);
    const flight = joined ?? begin(key, call, stamp);
    flight.waiters++;
    try {
      return await abandonable(flight.result, signal);
    } catch (error) {
      if (signal.aborted) {
        if (joined === undefined) flight.orphaned = true;
        throw error;
      }
      if (joined?.orphaned) return await join(key, call, signal, stamp);
      throw error;
    } finally {
      flight.waiters--;
      if (flight.waiters === 0) abandon(key, flight, 'nobody waits for this answer any more');
    }
  };

  return {
    join,
    abandonAll: (why) => {
      for (const [key, flight] of [...flights, ...running]) abandon(key, flight, why);
    },
  };
}
