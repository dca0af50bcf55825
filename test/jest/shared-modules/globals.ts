import type * as jestGlobals from '@jest/globals';

/*
 * What `@jest/globals` exports in tests that share their modules (`runtime.ts`). Each test file has an instance of
 * jest-circus of its own. Bindings of ES modules are live: modules that were loaded for an earlier file see the present one.
 */
type Globals = Pick<
  typeof jestGlobals,
  'afterAll' | 'afterEach' | 'beforeAll' | 'beforeEach' | 'describe' | 'expect' | 'test'
>;

export let afterAll: Globals['afterAll'];
export let afterEach: Globals['afterEach'];
export let beforeAll: Globals['beforeAll'];
export let beforeEach: Globals['beforeEach'];
export let describe: Globals['describe'];
export let expect: Globals['expect'];
export let test: Globals['test'];

/** Called before a test file is loaded. */
export function setGlobals(globals: Globals): void {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } = globals);
}

/** Mocks and timers of Jest are missing: no test replaces a module, or the clock of the process. */
export const jest = {
  /** Limit of each test of this file in milliseconds, where jest-circus reads it. */
  setTimeout(ms: number): void {
    Object.assign(globalThis, { [Symbol.for('TEST_TIMEOUT_SYMBOL')]: ms });
  },
};
