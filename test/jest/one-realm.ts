import { runInThisContext } from 'node:vm';

/*
 * Jest runs each test file in a realm of its own, with its own Error. Errors of Node itself (ECONNREFUSED, a failed
 * fetch) come from the outer realm and would be no `instanceof Error` here, although they are in production. This makes
 * the test realm's errors accept their outer twins.
 */
const names = [
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'AggregateError',
] as const;

const ordinary = Function.prototype[Symbol.hasInstance];

for (const name of names) {
  const inner = globalThis[name];
  const outer: typeof inner = runInThisContext(name);
  Object.defineProperty(inner, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      // Classes that extend an error inherit this, and accept only their own instances.
      return ordinary.call(this, value) || (this === inner && value instanceof outer);
    },
  });
}
