import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { progressOn } from './reporting-command.ts';
import { plain, printed, styleFor, table } from './shown.ts';

describe('colours', () => {
  const colours: { isTTY: boolean; env: Record<string, string>; want: boolean; reason: string }[] = [
    { isTTY: true, env: {}, want: true, reason: 'a terminal' },
    { isTTY: false, env: {}, want: false, reason: 'a pipe' },
    { isTTY: true, env: { NO_COLOR: '1' }, want: false, reason: 'disabled' },
    { isTTY: true, env: { NO_COLOR: '' }, want: true, reason: 'an empty NO_COLOR is ignored' },
    { isTTY: true, env: { TERM: 'dumb' }, want: false, reason: 'a terminal without colours' },
    { isTTY: false, env: { FORCE_COLOR: '1' }, want: true, reason: 'forced in a pipe' },
    {
      isTTY: false,
      env: { FORCE_COLOR: '1', NO_COLOR: '1' },
      want: true,
      reason: 'FORCE_COLOR has precedence',
    },
    { isTTY: true, env: { FORCE_COLOR: '0' }, want: false, reason: 'forced off' },
  ];
  test.each(colours)('$reason: $want', ({ isTTY, env, want }) => {
    const text = styleFor({ write: () => undefined, isTTY }, env)('bad', 'x');
    expect(text === 'x').toBe(!want);
    expect(text).toContain('x');
  });
});

test('columns are as wide as their content without colour codes', () => {
  const red = styleFor({ write: () => undefined }, { FORCE_COLOR: '1' })('bad', 'no');
  const lines = table(
    ['A', 'LONG', 'C'],
    [
      [red, 'x', 'last'],
      ['ok!', 'ü', ''],
    ],
  ).split('\n');
  expect(lines).toEqual(['A    LONG  C', `${red}   x     last`, 'ok!  ü', '']);
});

test('a table may have more rows than a call has arguments', () => {
  const rows = Array.from({ length: 200_000 }, () => ['x']);
  expect(table(['A'], [...rows, ['longer']])).toMatch(/^A\nx\n(x\n)+longer\n$/);
});

test.each(['yes', 'on', 'N', '0b11', '1_000', '<<', '=', '0777'])(
  'the text %s is a text for readers of YAML 1.1 as well, such as kubectl',
  (text) => {
    const yaml = printed('yaml', { [text]: text, list: [text] }, () => '');
    expect(parse(yaml, { version: '1.1' })).toEqual({ [text]: text, list: [text] });
    expect(parse(yaml)).toEqual({ [text]: text, list: [text] });
  },
);

test('JSON and YAML omit undefined members', () => {
  const value = { a: undefined, b: [1, 'two'] };
  const never = () => {
    throw new Error('no table was asked for');
  };
  expect(JSON.parse(printed('json', value, never))).toEqual({ b: [1, 'two'] });
  expect(printed('yaml', value, never)).toBe('b:\n  - 1\n  - two\n');
  expect(printed('table', value, () => plain('bad', 'x'))).toBe('x');
});

test('progress is one line on a terminal, removed at the end, and nothing elsewhere', () => {
  const written: string[] = [];
  const terminal = progressOn({ write: (text) => written.push(text), isTTY: true }, {});
  terminal.say('1 of 2');
  terminal.say('2 of 2');
  terminal.end();
  terminal.end();
  expect(written).toEqual(['\r\u001b[2K1 of 2', '\r\u001b[2K2 of 2', '\r\u001b[2K']);
  for (const [isTTY, env] of [
    [false, {}],
    [true, { CI: 'true' }],
  ] as const) {
    const quiet = progressOn({ write: () => expect(true).toBe(false), isTTY }, env);
    quiet.say('x');
    quiet.end();
  }
});
