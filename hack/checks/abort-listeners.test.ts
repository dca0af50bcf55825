import { expect, test } from '@jest/globals';
import { checkAbortListeners } from './abort-listeners.ts';

const path = 'internal/framework/base/wait.ts';
const check = (text: string, of = path) => checkAbortListeners(new Map([[of, text]]));
const adds = "signal.addEventListener('abort', stop, { once: true });";
const removes = "signal?.removeEventListener('abort', stop);";

test.each([
  ['is removed', `${adds} ${removes}`, []],
  ['stays', adds, [`${path}: stop is never removed from the signal it listens to`]],
  [
    'is removed in one of two places',
    `${adds} ${removes} ${adds}`,
    [`${path}: stop is never removed from the signal it listens to`],
  ],
  [
    'is not the one that is removed',
    `${adds} signal.removeEventListener('abort', other);`,
    [`${path}: stop is never removed from the signal it listens to`],
  ],
  [
    'has no name, and cannot be removed',
    "signal.addEventListener('abort', () => stop());",
    [`${path}: a function without a name is never removed from the signal it listens to`],
  ],
  ['is of another event', "socket.addEventListener('close', stop);", []],
])('a listener that %s', (_, text, problems) => {
  expect(check(text)).toEqual(problems);
});

test('files whose listeners may stay are listed, as long as they do', () => {
  const listed = 'internal/framework/process/manager.ts';
  expect(check(adds, listed)).toEqual([]);
  expect(check('', listed)).toEqual([
    expect.stringContaining('take it out of hack/checks/abort-listeners.ts'),
  ]);
});

test('tests and fixtures may leave theirs', () => {
  expect(check(adds, 'internal/framework/base/wait.test.ts')).toEqual([]);
  expect(check(adds, 'internal/framework/base/wait.fixture.ts')).toEqual([]);
});
