/** A number in [0, 1). Injected, so that tests can set jitter. */
export type Random = () => number;

export const systemRandom: Random = Math.random;

/** `value`, changed by up to `fraction` of it: jitter(100, 0.1) is in [90, 110). */
export function jitter(value: number, fraction: number, random: Random): number {
  return value * (1 + fraction * (2 * random() - 1));
}
