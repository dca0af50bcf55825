import { abandonable } from './abandonable.ts';
import { ProviderError } from './errors.ts';

/** Calls that all who want the same answer at the same time share. */
export interface SharedCalls<T> {
  /**
   * Joins the call that is under way for the key, or begins one. The call is aborted when nobody waits for it any
   * more. Whoever joined one whose beginner gave up, and that failed thereby, begins another.
   *
   * @throws what the call throws, and the signal's reason
   */
  join(key: string, call: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
  /** Aborts all that are under way. */
  abandonAll(why: string): void;
}

export interface SharedCallsOptions<T> {
  /** Told of each answer before those who wait are, unless the call was abandoned. */
  readonly onAnswer?: (key: string, answer: T) => void;
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
  /** Whoever began it has left, and may have closed the connection it runs on. */
  orphaned: boolean;
}

export function createSharedCalls<T>({ onAnswer }: SharedCallsOptions<T> = {}): SharedCalls<T> {
  const flights = new Map<string, Flight<T>>();

  const begin = (key: string, call: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const controller = new AbortController();
    const fly = async () => {
      const answer = await call(controller.signal);
      if (flights.get(key) === flight) onAnswer?.(key, answer);
      return answer;
    };
    const flight: Flight<T> = {
      controller,
      waiters: 0,
      orphaned: false,
      result: Promise.resolve().then(fly),
    };
    const land = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(land, land);
    flights.set(key, flight);
    return flight;
  };
  const abandon = (key: string, flight: Flight<T>, why: string) => {
    if (flights.get(key) === flight) flights.delete(key);
    flight.controller.abort(new ProviderError('transient', why));
  };

  const join: SharedCalls<T>['join'] = async (key, call, signal) => {
    signal.throwIfAborted();
    const joined = flights.get(key);
    const flight = joined ?? begin(key, call);
    flight.waiters++;
    try {
      return await abandonable(flight.result, signal);
    } catch (error) {
      if (signal.aborted) {
        if (joined === undefined) flight.orphaned = true;
        throw error;
      }
      if (joined?.orphaned) return await join(key, call, signal);
      throw error;
    } finally {
      flight.waiters--;
      if (flight.waiters === 0) abandon(key, flight, 'nobody waits for this answer any more');
    }
  };

  return {
    join,
    abandonAll: (why) => {
      for (const [key, flight] of flights) abandon(key, flight, why);
    },
  };
}
