import { afterAll, beforeAll, expect } from '@jest/globals';
import { membersOf } from '../../../internal/framework/base/for-each-test.fixture.ts';

/**
 * What a test file needs: started before its tests, and ended after them, also where they failed. Tests use it as if it were there
 * already; before the start its members are an error.
 *
 * @param check what must hold at the end, before it is ended
 */
export function forFile<T extends { stop(): Promise<unknown> } | { close(): Promise<unknown> }>(
  start: () => Promise<T>,
  check: (started: T) => void = () => undefined,
): T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => {
    if (started === undefined) return;
    try {
      check(started);
    } finally {
      await ('stop' in started ? started.stop() : started.close());
    }
  });
  return membersOf(() => started);
}

/** No request of the file was outside of the contract of HANA Cloud. */
export function withoutViolations({
  simulator,
}: {
  readonly simulator: { violations(): readonly string[] };
}): void {
  expect(simulator.violations()).toEqual([]);
}
