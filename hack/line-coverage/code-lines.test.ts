import { expect, test } from '@jest/globals';
import { codeLines } from './code-lines.ts';

const lines = (...source: string[]) => [...codeLines(source.join('\n'))];

test('comments, types and empty lines are not code', () => {
  expect(
    lines(
      '/** A type. */',
      'export interface A {',
      '  readonly b: string;',
      '}',
      '',
      '// Doubles.',
      'export const double = (n: number) => 2 * n; // twice',
    ),
  ).toEqual([7]);
});

test('a line with closing brackets alone is not code', () => {
  expect(lines('f({', '  a: [', '    1,', '  ],', '});')).toEqual([1, 2, 3]);
});

test('an import of a type alone is not code', () => {
  expect(lines("import type { A } from './a.ts';", "import { b } from './b.ts';", 'b();')).toEqual([2, 3]);
});
