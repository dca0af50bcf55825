import { ProviderError } from '../errors/errors.ts';

/**
 * Objects and arrays in each other. API servers store objects of 10,000 levels in fields without a schema, but
 * `JSON.stringify` and recursive functions overflow the stack at a few thousand.
 */
export const maxNesting = 500;

/**
 * A deep copy of plain JSON that may be changed. `undefined` members are copied as well. Several times faster than
 * `structuredClone`.
 *
 * @throws a `terminal` error for a value nested deeper than `maxNesting`
 */
export function cloneJson<T>(value: T): T {
  return isContainer(value) ? (cloneContainer(value, 1) as T) : value;
}

/**
 * For a value that is not copied: refuses what `cloneJson` refuses.
 *
 * @throws a `terminal` error for a value nested deeper than `maxNesting`
 */
export function assertNesting(value: unknown): void {
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxNesting) throw tooDeep();
    const next: object[] = [];
    for (const container of level) {
      for (const member of Array.isArray(container) ? container : Object.values(container))
        if (isContainer(member)) next.push(member);
    }
    level = next;
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
export const tooDeep = () =>
  new ProviderError('terminal', `the object is nested deeper than ${maxNesting} levels`);

/** Copies all members at once with a spread, which is fast, then the containers among them. */
function cloneContainer(value: object, depth: number): object {
  if (depth > maxNesting) throw tooDeep();
  if (Array.isArray(value)) {
    return value.map((item) => (isContainer(item) ? cloneContainer(item, depth + 1) : item));
  }
  // An own member `__proto__` is defined by the spread, so the assignment below does not set the prototype.
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) {
    const member = copy[name];
    if (isContainer(member)) copy[name] = cloneContainer(member, depth + 1);
  }
  return copy;
}
