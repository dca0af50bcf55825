import { expect, test } from '@jest/globals';
import { findImports } from './imports.ts';

test('finds every way to import, with its line', () => {
  const source = [
    "import './effect.ts';",
    "import fallback, { named } from './both.ts';",
    'import {',
    '  one,',
    '  type Two,',
    "} from './several-lines.ts';",
    "import type { T } from './type.ts';",
    "export * from './star.ts';",
    "export type { U } from './exported-type.ts';",
    'const lazy = () => import("./lazy.ts");',
  ].join('\n');

  expect(findImports(source)).toEqual([
    { specifier: './effect.ts', typeOnly: false, line: 1 },
    { specifier: './both.ts', typeOnly: false, line: 2 },
    { specifier: './several-lines.ts', typeOnly: false, line: 3 },
    { specifier: './type.ts', typeOnly: true, line: 7 },
    { specifier: './star.ts', typeOnly: false, line: 8 },
    { specifier: './exported-type.ts', typeOnly: true, line: 9 },
    { specifier: './lazy.ts', typeOnly: false, line: 10 },
  ]);
});

test.each([
  ["export const from = 'x';", 'a name'],
  ["export type Kind = 'a' | 'b';", 'a type with texts'],
  ["export function f() {\n  return Array.from('abc');\n}", 'a call of from'],
  ["/** import { x } from './x.ts' */", 'a comment'],
  ['const page = import.meta.dirname;', 'the meta object'],
])('%j is no import: %s', (source) => {
  expect(findImports(source)).toEqual([]);
});
