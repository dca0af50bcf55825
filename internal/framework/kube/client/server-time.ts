import type { Clock } from '../../base/time/clock.ts';

/** The wall clock of an API server, which sets `creationTimestamp`. The own wall clock may be wrong, or jump. */
export interface ServerTime {
  /** In ms since the epoch, up to a second behind. Before the first response: the own time. */
  now(): number;
  /** @param date the header `Date` of a response that has just arrived. A text that is no date changes nothing. */
  observe(date: string | undefined): void;
}

export function createServerTime(clock: Pick<Clock, 'now' | 'monotonic'>): ServerTime {
  /** The time of the server when the monotonic clock was zero. */
  let zero: number | undefined;
  return {
    now: () => (zero === undefined ? clock.now() : zero + clock.monotonic()),
    observe: (date = '') => {
      const at = Date.parse(date);
      if (!Number.isNaN(at)) zero = at - clock.monotonic();
    },
  };
}
