import { expect, test } from '@jest/globals';
import { type Frame, markCall, originIn, originOf, originOfCall } from './origin.ts';

const frame = (path: string, line: number): Frame => ({
  getFileName: () => new URL(`../../${path}`, import.meta.url).href,
  getLineNumber: () => line,
});
const sender = frame('internal/framework/kube/client/rest-client.ts', 3);
const program = frame('internal/framework/kube/leader-election.ts', 9999);

test('the origin of a request is what asked its client for it', () => {
  expect(originIn([sender, program])).toEqual({
    where: expect.stringMatching(/^internal\/framework\/kube\/leader-election\.ts#\w+$/),
    isProgram: true,
  });
});

test('a request of a test or its parts is none of the program', () => {
  expect(originOfCall()?.isProgram).toBe(false);
  expect(originIn([sender, frame('internal/x/y.fixture.ts', 1), program])).toEqual({
    where: 'internal/x/y.fixture.ts',
    isProgram: false,
  });
});

test('clients alone have no origin', () => {
  expect(
    originIn([sender, { getFileName: () => 'node:internal/framework/process', getLineNumber: () => 1 }]),
  ).toBeUndefined();
});

test('a stack that was kept has the origin of its time, and errors keep their texts', async () => {
  const mark = await Promise.resolve().then(markCall);
  const awaited = await (async () => {
    await Promise.resolve();
    return markCall();
  })();
  expect(originOf(awaited)).toEqual({ where: 'test/guards/origin.test.ts', isProgram: false });
  expect(originOf(mark)?.isProgram).toBe(false);
  expect(new Error('text').stack).toContain('origin.test.ts');
});
