/**
 * A deep copy of plain JSON that may be changed. `undefined` members are copied as well. Several times faster than
 * `structuredClone`.
 */
export function cloneJson<T>(value: T): T {
  return typeof value === 'object' && value !== null ? (cloneContainer(value) as T) : value;
}

/** Copies all members at once with a spread, which is fast, then the containers among them. */
function cloneContainer(value: object): object {
  if (Array.isArray(value)) return value.map(cloneJson);
  // An own member `__proto__` is defined by the spread, so the assignment below does not set the prototype.
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) {
    const member = copy[name];
    if (typeof member === 'object' && member !== null) copy[name] = cloneContainer(member);
  }
  return copy;
}
