import { expect, jest, test } from '@jest/globals';
import { tool } from './tool.ts';

/** Processes, possibly on a busy machine. */
jest.setTimeout(60_000);

const node = (code: string, input?: string) =>
  tool(process.execPath, ['-e', code], input === undefined ? {} : { input });

test('returns the output of a tool, and passes its input', async () => {
  expect(await node('process.stdin.pipe(process.stdout)', 'text')).toBe('text');
});

test('a failure has the exit code and the last words', async () => {
  await expect(node("console.error('no such cluster'); process.exit(3)")).rejects.toThrow(
    /ended with 3: no such cluster/,
  );
});

test('a missing tool is named in the error', async () => {
  await expect(tool('no-such-tool', [])).rejects.toThrow('cannot run no-such-tool: it is not installed');
});
