import type { Violation } from '../runner/campaign-module.ts';

export interface SentWrite {
  /** By the monotonic clock, in ms. */
  readonly at: number;
  readonly text: string;
}

const MINUTE_MS = 60_000;
/** A few objects with conditions, events and operations that are edited every few seconds need fewer: 25 edits of Runtimes took 151. */
const MOST_PER_MINUTE = 200;
/** Of a run: the largest of 80 runs had 726. */
const MOST = 5000;

/** Whether so many were sent that a run may never end: then no more are. */
export const isTooMany = (writes: readonly SentWrite[]): boolean => writes.length >= MOST;

/** Whether one minute, or the whole run, had more writes than anything explains. */
export function mostWrites(writes: readonly SentWrite[]): readonly Violation[] {
  const minutes = Map.groupBy(writes, ({ at }) => Math.floor(at / MINUTE_MS));
  for (const [minute, sent] of minutes) {
    if (sent.length <= MOST_PER_MINUTE) continue;
    const counts = [...Map.groupBy(sent, ({ text }) => text)].sort(([, a], [, b]) => b.length - a.length);
    const most = counts.slice(0, 3).map(([text, times]) => `${times.length} × ${text}`);
    const what = `${sent.length} writes in minute ${minute}: ${most.join(', ')}`;
    return [{ invariant: 'write rate', what }];
  }
  return isTooMany(writes) ? [{ invariant: 'write rate', what: `${writes.length} writes` }] : [];
}
