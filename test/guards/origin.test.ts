import { expect, test } from '@jest/globals';
import { originIn, originOfCall } from './origin.ts';

const stackAt = (...frames: readonly string[]) =>
  `Error\n${frames.map((frame) => `    at ${frame}`).join('\n')}`;
const url = (path: string, line: number) => `${new URL(`../../${path}`, import.meta.url)}:${line}:1`;
const sender = `async Object.delete (${url('internal/kube/client/rest-client.ts', 3)})`;

test('the origin of a request is what asked its client for it', () => {
  const program = `async ${url('internal/kube/lease/leader-election.ts', 9999)}`;
  expect(originIn(stackAt(sender, program))).toEqual({
    where: expect.stringMatching(/^internal\/kube\/lease\/leader-election\.ts#\w+$/),
    isProgram: true,
  });
});

test('a request of a test or its parts is none of the program', () => {
  expect(originOfCall()?.isProgram).toBe(false);
  const fixture = `async put (${url('internal/x/y.fixture.ts', 1)})`;
  const program = `async ${url('internal/kube/lease/leader-election.ts', 5)}`;
  expect(originIn(stackAt(sender, fixture, program))).toEqual({
    where: 'internal/x/y.fixture.ts',
    isProgram: false,
  });
});

test('clients alone have no origin', () => {
  expect(originIn(stackAt(sender, 'node:internal/process:1:1'))).toBeUndefined();
});
