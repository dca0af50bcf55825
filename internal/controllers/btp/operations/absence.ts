/**
 * Whether an external resource is gone. One rule for each deletion, adoption and observation:
 *
 * - Its own API says so about this very resource, in the form of its contract, or a second look by another call agrees. A 404 of an
 *   operation, of a gateway or of a proxy says nothing.
 * - The credentials are those that made it: others do not see it, though it exists.
 *
 * Everything else is an error, and waits.
 */

/**
 * What one call says about the resource. `foreign`: the ID is that of a resource of others.
 *
 * @throws UnclearAnswer (see `isUnclear`) if the answer says nothing about the resource, and errors of the call
 */
export type Look = () => Promise<'present' | 'absent' | 'foreign'>;

export interface AbsenceQuestion {
  /** Different calls, from the most direct one. The next one is asked only if the answer of the one before is unclear. */
  readonly looks: readonly [Look, ...Look[]];
  /** Whether an error is an answer that says nothing about the resource, such as the 404 of a gateway. */
  readonly isUnclear: (error: unknown) => boolean;
  /** Whether the credentials of the calls made the resource, or have seen it. */
  readonly isMaker: () => Promise<boolean>;
  /** The error if they did not: for users, with the way out. */
  readonly unproven: () => Error;
}

/**
 * @returns false: it exists
 * @throws the last error if no look is clear, and `unproven`
 */
export async function isGone({ looks, isUnclear, isMaker, unproven }: AbsenceQuestion): Promise<boolean> {
  const seen = await firstClear(looks, isUnclear);
  if (seen === 'present') return false;
  if (seen === 'foreign' || (await isMaker())) return true;
  throw unproven();
}

async function firstClear(
  [look, ...others]: AbsenceQuestion['looks'],
  isUnclear: AbsenceQuestion['isUnclear'],
): ReturnType<Look> {
  try {
    return await look();
  } catch (error) {
    const [next, ...rest] = others;
    if (next === undefined || !isUnclear(error)) throw error;
    return firstClear([next, ...rest], isUnclear);
  }
}
