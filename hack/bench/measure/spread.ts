/** How evenly times are distributed. */
export interface Spread {
  /** Times in the fullest second. */
  readonly most: number;
  /** Times per second, on average. */
  readonly mean: number;
}

/** Counts times by second, from `from`, for whole seconds up to `to`; all in ms on one scale. */
export function spreadBySecond(times: readonly number[], from: number, to: number): Spread {
  const seconds = Math.floor((to - from) / 1000);
  if (seconds < 1) throw new RangeError('there is no spread over less than a second');
  const counts = new Array<number>(seconds).fill(0);
  for (const time of times) {
    const second = Math.floor((time - from) / 1000);
    if (second >= 0 && second < seconds) counts[second] = (counts[second] ?? 0) + 1;
  }
  return { most: Math.max(...counts), mean: counts.reduce((sum, count) => sum + count, 0) / seconds };
}
