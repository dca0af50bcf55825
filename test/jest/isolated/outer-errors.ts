import { runInThisContext } from 'node:vm';

const NAMES = [
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'AggregateError',
] as const;

type Realm = Pick<typeof globalThis, 'Function' | (typeof NAMES)[number]>;

/**
 * Makes `instanceof` with the errors of a realm accept those of the process as well. Node's own errors (ECONNREFUSED, a
 * failed fetch) come from the process, and would be no `Error` in another realm.
 */
export function acceptOuterErrors(realm: Realm): void {
  const ordinary = realm.Function.prototype[Symbol.hasInstance];
  for (const name of NAMES) {
    const inner = realm[name];
    const outer: typeof inner = runInThisContext(name);
    Object.defineProperty(inner, Symbol.hasInstance, {
      value(this: unknown, value: unknown): boolean {
        // Classes that extend an error inherit this, and accept only their own instances.
        return ordinary.call(this, value) || (this === inner && value instanceof outer);
      },
    });
  }
}
