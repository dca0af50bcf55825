import { describe, expect, test } from '@jest/globals';
import { checkLinearPatterns, findPatterns } from './linear-patterns.ts';

const check = async (code: string, path = 'internal/framework/base/x.ts') =>
  (await checkLinearPatterns(new Map([[path, code]]))).problems;

describe('a pattern that takes quadratic time is refused with its position', () => {
  test.each([
    ['text.replace(/\\s*\\n\\s*/g, " ")', 'white space around a line break'],
    ['text.replace(/\\/+$/, "")', 'what is trimmed at the end'],
    ['/\\beyJ[\\w-]{6,}(?:\\.[\\w-]*)+/g.test(text)', 'a token that insists on a dot'],
  ])('%s: %s', async (code) => {
    expect(await check(`const text = '';\n${code};`)).toEqual([
      expect.stringMatching(/^internal\/framework\/base\/x\.ts:2: .* takes 2nd degree polynomial time/),
    ]);
  });

  test('one that takes exponential time is refused too', async () => {
    expect(await check('/^(a|a)*$/.test("")')).toEqual([expect.stringContaining('exponential')]);
  });
});

test('a pattern that is built at run time is refused, since it cannot be checked', async () => {
  expect(await check('const a = 1;\nnew RegExp(a);')).toEqual([
    expect.stringContaining('internal/framework/base/x.ts:2: a regular expression must be a literal'),
  ]);
});

test('a pattern with a character beyond ASCII is refused, since the bundle would have another one', async () => {
  expect(await check('const a = 1;\n/…+/.test("…")')).toEqual([
    expect.stringContaining('internal/framework/base/x.ts:2: write characters beyond ASCII as \\u'),
  ]);
});

test('what is known to be linear is not analysed, and is forgotten when it is not used any more', async () => {
  const code = '/^(a|a)*$/.test("");\n/b+/.test("")';
  const files = new Map([['internal/x.ts', code]]);
  expect(await checkLinearPatterns(files, ['/^(a|a)*$/', '/c/g'])).toEqual({
    problems: [],
    linear: ['/^(a|a)*$/', '/b+/'],
  });
});

test('linear patterns are fine', async () => {
  expect(await check('/^[a-z]+$/.test("") || text.replace(/\\s+/g, " ")')).toEqual([]);
});

test('tests and files of other layers are not read', async () => {
  expect(await check('/\\s+$/.test("")', 'internal/framework/base/x.test.ts')).toEqual([]);
  expect(await check('/\\s+$/.test("")', 'hack/x.ts')).toEqual([]);
});

test('patterns are found in types, templates and arguments, and divisions are none', () => {
  const code = 'const a = 8 / 2 / 1;\nconst b = [`y`, c.replace(/x/gi, "/y/")]; f<T>(/z/);';
  expect(findPatterns(code)).toEqual([
    { source: 'x', flags: 'gi', line: 2 },
    { source: 'z', flags: '', line: 2 },
  ]);
});
