/** Work on large JSON values in parts, between which the event loop does other things. */
import type { Breather } from '../concurrency/breather.ts';
import { maxNesting, tooDeep } from './clone-json.ts';
import { isObject } from './json-field.ts';

/** Values of a part: some milliseconds of work. */
const PART_VALUES = 4000;

export interface PartWork<T> {
  /** @param depth of the part in the whole value; the value itself has 0 */
  part(value: unknown, depth: number): T;
  list(items: readonly T[]): T;
  object(members: readonly (readonly [string, T])[]): T;
}

/** Whether a value has at most `limit` values in it. Takes time for so many at most. Default: those of a part. */
export function isSmall(value: unknown, limit = PART_VALUES): boolean {
  let left = limit;
  const containers: unknown[] = [value];
  for (let next = containers.pop(); next !== undefined; next = containers.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const members = Array.isArray(next) ? next : Object.values(next);
    left -= members.length;
    if (left < 0) return false;
    for (const member of members) if (typeof member === 'object' && member !== null) containers.push(member);
  }
  return true;
}

/**
 * Makes something of a value. A small one is done at once; a large one is made of what its members become.
 *
 * @throws a `terminal` error for a value whose large parts are nested deeper than `maxNesting`
 */
export async function inParts<T>(
  value: unknown,
  work: PartWork<T>,
  breathe: Breather,
  depth = 0,
): Promise<T> {
  const isList = Array.isArray(value);
  if ((!isList && !isObject(value)) || isSmall(value)) return work.part(value, depth);
  if (depth >= maxNesting) throw tooDeep();
  const made: (readonly [string, T])[] = [];
  for (const [name, member] of Object.entries(value)) {
    const result = isSmall(member)
      ? work.part(member, depth + 1)
      : await inParts(member, work, breathe, depth + 1);
    made.push([name, result]);
    const pause = breathe();
    if (pause !== undefined) await pause;
  }
  return isList ? work.list(made.map(([, item]) => item)) : work.object(made);
}
