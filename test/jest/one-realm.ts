import { runInThisContext } from 'node:vm';

/*
 * Jest runs each test file in a realm of its own, with its own Error. What Node itself throws (ECONNREFUSED, a
 * failed fetch) comes from the outer realm and would be no `instanceof Error` here, although it is one in
 * production. This makes the test realm's errors know their outer twins, so that tests see what users see.
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
      // Classes that extend an error inherit this, and know only their own instances.
      return ordinary.call(this, value) || (this === inner && value instanceof outer);
    },
  });
}
