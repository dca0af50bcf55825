import { ProviderError } from '../errors/errors.ts';
import type { Clock } from '../time/clock.ts';
import { abandonable } from './abandonable.ts';

/** Calls whose result concurrent callers with the same key share. */
export interface SharedCalls<T> {
  /**
   * Joins a call of the key, as `joins` allows, or starts one. The call is aborted when all its callers are aborted. If it
   * fails because the caller that started it was aborted, the others start a new one.
   *
   * @param stamp with `next`: a call that has started may be joined while this value is unchanged; default: never
   * @throws what the call throws, and the signal's reason
   */
  join(
    key: string,
    call: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
    stamp?: () => number,
  ): Promise<T>;
  /** Aborts all calls in progress. */
  abandonAll(why: string): void;
}

export interface SharedCallsOptions<T> {
  /** Called with each result before the call resolves, unless the call was aborted. */
  readonly onAnswer?: (key: string, answer: T) => void;
  /**
   * Which calls may be joined. `under-way`: any that has not ended. `next`: only one that has not started, so that its
   * result is never older than the call of `join`; a key has at most one call in progress, and the next one starts when
   * it ends. Default `under-way`.
   */
  readonly joins?: 'under-way' | 'next';
  /** With `next`: whether this error of a call also fails the next one. Default: never. */
  readonly failsNext?: (error: unknown) => boolean;
  /**
   * With `next`: the minimum time between the starts of two calls of a key, unless the first one failed. Callers in the
   * meantime share the next call. The first call of a key starts at once. Default: when the previous call has ended.
   */
  readonly spacing?: { readonly clock: Clock; readonly ms: number };
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
  ended: boolean;
  begunAt: number;
  /** At its start. */
  stamp: number | undefined;
  /** Resolves when the next call of the key may start. */
  readonly turnEnd: PromiseWithResolvers<void>;
  /** The caller that started it was aborted, and may have closed the connection. */
  orphaned: boolean;
}

export function createSharedCalls<T>(options: SharedCallsOptions<T> = {}): SharedCalls<T> {
  const { onAnswer, joins = 'under-way', failsNext = () => false, spacing } = options;
  /** Calls that can be joined. */
  const flights = new Map<string, Flight<T>>();
  /** With `next`: calls that have started, until the next one of the key may start. */
  const running = new Map<string, Flight<T>>();

  /** Waits until no other call of the key is in progress. Then this one can no longer be joined. */
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
    // A call in progress is removed when it ends; the next one waits for that.
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
      if (flight.waiters === 0) abandon(key, flight, 'all callers were aborted');
    }
  };

  return {
    join,
    abandonAll: (why) => {
      for (const [key, flight] of [...flights, ...running]) abandon(key, flight, why);
    },
  };
}
