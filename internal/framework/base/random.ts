/** A number in [0, 1). Injected, so that tests can set jitter. */
export type Random = () => number;

/** Numbers that cannot be predicted, for secrets. */
export function createSecureRandom(): Random {
  // One call of the system gives many numbers, since it costs much more than a number.
  const pool = new Uint32Array(256);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const high = (pool[used++] ?? 0) >>> 5;
    const low = (pool[used++] ?? 0) >>> 6;
    // 53 bits, as many as a number below 1 has.
    return (high * 2 ** 26 + low) / 2 ** 53;
  };
}

export const systemRandom: Random = Math.random;

/** `value`, changed by up to `fraction` of it: jitter(100, 0.1) is in [90, 110). */
export function jitter(value: number, fraction: number, random: Random): number {
  return value * (1 + fraction * (2 * random() - 1));
}
