/** A number in [0, 1). Injected, so that tests can set jitter. */
export type Random = () => number;

/** Numbers that cannot be predicted, for secrets. */
export const secureRandom: Random = () => {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  // 53 bits, as many as a number below 1 has.
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
};

export const systemRandom: Random = Math.random;

/** `value`, changed by up to `fraction` of it: jitter(100, 0.1) is in [90, 110). */
export function jitter(value: number, fraction: number, random: Random): number {
  return value * (1 + fraction * (2 * random() - 1));
}
