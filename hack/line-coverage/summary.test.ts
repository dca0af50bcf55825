import { expect, test } from '@jest/globals';
import { countLines, percentOf, sumLines } from './summary.ts';

const source = ['// Why.', 'const a = 1;', 'if (a > 1) {', '  g(a);', '}'].join('\n');

test('lines that ran are counted among the lines with code alone', () => {
  const coverage = {
    path: 'a.ts',
    statementMap: { 0: at(1), 1: at(2), 2: at(3), 3: at(4), 4: at(5) },
    s: { 0: 1, 1: 1, 2: 1, 3: 0, 4: 0 },
  };
  expect(countLines(coverage, source)).toEqual({ lines: 3, covered: 2 });
});

test('a file that nothing loaded has no covered line', () => {
  expect(countLines({ path: 'a.ts', statementMap: {}, s: {} }, source)).toEqual({ lines: 3, covered: 0 });
});

test('the share of a folder is that of its lines, not the mean of its files', () => {
  const total = sumLines([
    { lines: 10, covered: 10 },
    { lines: 30, covered: 0 },
  ]);
  expect(percentOf(total)).toBe(25);
});

test('a file of types alone is covered', () => {
  expect(percentOf({ lines: 0, covered: 0 })).toBe(100);
});

function at(line: number) {
  return { start: { line } };
}
