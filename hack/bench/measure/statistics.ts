/**
 * The value at the share `p` (0 to 1) of all values: the smallest one that is no smaller than that share of them, so it
 * is always a measured value.
 */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('there is no percentile of nothing');
  return value;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * Counts times by second, from `from`, for whole seconds up to `to`; all in ms on one scale. Returns the count of the
 * fullest second, and the mean.
 */
export function spreadBySecond(times: readonly number[], from: number, to: number) {
  const seconds = Math.floor((to - from) / 1000);
  if (seconds < 1) throw new RangeError('there is no spread over less than a second');
  const counts = new Array<number>(seconds).fill(0);
  for (const time of times) {
    const second = Math.floor((time - from) / 1000);
    if (second >= 0 && second < seconds) counts[second] = (counts[second] ?? 0) + 1;
  }
  return { most: Math.max(...counts), mean: sum(counts) / seconds };
}
