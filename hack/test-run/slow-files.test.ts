import { expect, test } from '@jest/globals';
import { slowFiles } from './slow-files.ts';

const fileOf = (name: string, seconds: number) => ({
  name: `/checkout/test/${name}.test.ts`,
  startTime: 1000,
  endTime: 1000 + seconds * 1000,
});

test('names the files that took longest, longest first, without quick ones', () => {
  const output = JSON.stringify({
    testResults: [fileOf('quick', 19.9), fileOf('long', 20), fileOf('longest', 61.26)],
  });

  expect(slowFiles(output, '/checkout')).toEqual([
    '  61.3 s  test/longest.test.ts',
    '  20.0 s  test/long.test.ts',
  ]);
});

test('names ten at most', () => {
  const output = JSON.stringify({
    testResults: Array.from({ length: 12 }, (_, n) => fileOf(`${n}`, 30 + n)),
  });

  expect(slowFiles(output, '/checkout')).toHaveLength(10);
});

test.each(['', '{"success":', '{}'])('a result without files names none: %j', (output) => {
  expect(slowFiles(output, '/checkout')).toEqual([]);
});
