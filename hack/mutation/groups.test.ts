import { expect, test } from '@jest/globals';
import { groupsWith } from './groups.ts';

const namesWith = (...files: readonly string[]) => groupsWith(files).map(({ name }) => name);

test.each([
  ['a source', 'internal/framework/controller/queue/work-queue.ts', ['queue']],
  ['a test', 'internal/framework/controller/queue/work-queue.test.ts', ['queue']],
  ['a file in a folder below', 'internal/framework/managed/steps/observe/observe.ts', ['reconciler']],
  ['a fixture, which has no mutants', 'internal/framework/http/retry/retry.fixture.ts', []],
  ['a file of no group', 'README.md', []],
])('groups with a changed file: %s', (_reason, file, expected) => {
  expect(namesWith(file)).toEqual(expected);
});
