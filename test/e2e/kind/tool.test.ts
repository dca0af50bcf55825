import { expect, jest, test } from '@jest/globals';
import { tool } from './tool.ts';

/** Processes, on a machine that may have other things to do. */
jest.setTimeout(60_000);

const node = (code: string, input?: string) =>
  tool(process.execPath, ['-e', code], input === undefined ? {} : { input });

test('what a tool writes is returned, and it reads what it is given', async () => {
  expect(await node('process.stdin.pipe(process.stdout)', 'text')).toBe('text');
});

test('a failure has the exit code and the last words', async () => {
  await expect(node("console.error('no such cluster'); process.exit(3)")).rejects.toThrow(
    /ended with 3: no such cluster/,
  );
});

test('a tool that is not there is named', async () => {
  await expect(tool('no-such-tool', [])).rejects.toThrow('cannot run no-such-tool: it is not installed');
});
