/** Work on large JSON values in parts, between which the event loop does other things. */
import type { Breather } from '../concurrency/breather.ts';
import { maxNesting, tooDeep } from './json-value.ts';

/** Values of a part: some milliseconds of work. */
const PART_VALUES = 4000;

export interface PartWork<T> {
  /** @param depth of the part in the whole value; the value itself has 0 */
  part(value: unknown, depth: number): T;
  list(items: readonly T[]): T;
  object(members: readonly (readonly [string, T])[]): T;
}

/** Whether a value has at most `limit` values in it. Takes time for so many at most. Default: those of a part. */
export const isSmall = (value: unknown, limit = PART_VALUES): boolean => leftOf(value, limit) >= 0;

/** What is left of the limit; negative as soon as it is exceeded. */
function leftOf(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return limit;
  let left = limit;
  const members: Record<string, unknown> = value as Record<string, unknown>;
  for (const name in members) {
    if (--left < 0) break;
    left = leftOf(members[name], left);
  }
  return left;
}

/**
 * Makes something of a value. A small one is done at once; a large one is made of what its members become.
 *
 * @throws a `terminal` error for a value whose large parts are nested deeper than `maxNesting`
 */
export async function inParts<T>(value: unknown, work: PartWork<T>, breathe: Breather): Promise<T> {
  return isSmall(value) ? work.part(value, 0) : await ofLarge(value as object, work, breathe, 0);
}

async function ofLarge<T>(value: object, work: PartWork<T>, breathe: Breather, depth: number): Promise<T> {
  if (depth >= maxNesting) throw tooDeep();
  const made: (readonly [string, T])[] = [];
  for (const [name, member] of Object.entries(value)) {
    const result = isSmall(member)
      ? work.part(member, depth + 1)
      : await ofLarge(member, work, breathe, depth + 1);
    made.push([name, result]);
    const pause = breathe();
    if (pause !== undefined) await pause;
  }
  return Array.isArray(value) ? work.list(made.map(([, item]) => item)) : work.object(made);
}
