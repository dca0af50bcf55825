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
