/**
 * Freezes plain JSON deeply, for shared values. Returns the same value. Not recursive: the nesting of an untrusted value
 * may overflow the stack.
 */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const container = open.pop();
    if (typeof container !== 'object' || container === null || Object.isFrozen(container)) continue;
    for (const part of Object.values(container)) if (typeof part === 'object') open.push(part);
    Object.freeze(container);
  }
  return value;
}
