/**
 * The requests that may be in flight after a pause: one, and one more with each answer, so that their number doubles in the time of a
 * request (RFC 5681, section 3.1). Then any number.
 */
export interface SlowStart {
  /** Takes a place at once, or returns false. */
  take(): boolean;
  /** Resolves when there may be a place. */
  changed(): Promise<void>;
  /** Returns a place. @param answered by a response that shows that the API takes requests */
  end(answered: boolean): void;
  /** Requests in flight since the last start. */
  inFlight(): number;
  /** Begins with one again. Places that were taken before are not returned. */
  restart(): void;
}

/** With so many in flight, the number is not limited any more: other limits are lower. */
const UNLIMITED_FROM = 64;

/** Without a restart, any number of requests may be in flight. */
export function createSlowStart(): SlowStart {
  let allowed = Number.POSITIVE_INFINITY;
  let taken = 0;
  let change = Promise.withResolvers<void>();
  const notify = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  return {
    take: () => {
      if (taken >= allowed) return false;
      taken++;
      return true;
    },
    changed: () => change.promise,
    end: (answered) => {
      taken--;
      if (allowed === Number.POSITIVE_INFINITY) return;
      if (answered) allowed = allowed + 1 < UNLIMITED_FROM ? allowed + 1 : Number.POSITIVE_INFINITY;
      notify();
    },
    inFlight: () => taken,
    restart: () => {
      allowed = 1;
      taken = 0;
      notify();
    },
  };
}
