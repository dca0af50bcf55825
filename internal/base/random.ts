/** A number in [0, 1). Injected so that jitter can be pinned in tests. */
export type Random = () => number;

export const systemRandom: Random = Math.random;

/** `value` moved by up to `fraction` of itself either way: jitter(100, 0.1) lies in [90, 110). */
export function jitter(value: number, fraction: number, random: Random): number {
  return value * (1 + fraction * (2 * random() - 1));
}
