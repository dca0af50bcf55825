/** Set-up of every test file (jest.config.js): guards watch what the program does, and fail the test in which it errs. */
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { observedWrites, storedObjects } from '../../internal/kube/fakes/memory-cluster.ts';
import { placeForeignCopies } from './foreign-copies.ts';
import { guardMemoryWrites } from './kube-writes.ts';
import { assertNoViolations, takeViolations } from './violations.ts';

let stops: readonly (() => void)[] = [];

beforeAll(() => {
  stops = [guardMemoryWrites(String(observedWrites.name)), placeForeignCopies(String(storedObjects.name))];
});

afterEach(() => {
  assertNoViolations(takeViolations());
});

afterAll(() => {
  for (const stop of stops) stop();
});
