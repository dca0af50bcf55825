/** How evenly moments lie in time. */
export interface Spread {
  /** Moments in the fullest of all seconds. */
  readonly most: number;
  /** Moments in a second, on average. */
  readonly mean: number;
}

/** Counts moments by second, from `from` on, for whole seconds up to `to`; all in ms on one scale. */
export function spreadBySecond(moments: readonly number[], from: number, to: number): Spread {
  const seconds = Math.floor((to - from) / 1000);
  if (seconds < 1) throw new RangeError('there is no spread over less than a second');
  const counts = new Array<number>(seconds).fill(0);
  for (const moment of moments) {
    const second = Math.floor((moment - from) / 1000);
    if (second >= 0 && second < seconds) counts[second] = (counts[second] ?? 0) + 1;
  }
  return { most: Math.max(...counts), mean: counts.reduce((sum, count) => sum + count, 0) / seconds };
}
