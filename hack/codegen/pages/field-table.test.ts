import { expect, test } from '@jest/globals';
import { code, fieldRows, fieldTable, prose } from './field-table.ts';

test.each([
  ['plain text', 'plain text'],
  ['many\n  lines', 'many lines'],
  ['a `code|x` and `code`', 'a \\`code\\|x` and `code\\`'],
  [
    '[click](https://example.org) ![](x.png) [a][b] list[2]',
    '[click\\](https://example.org) ![\\](x.png) [a\\][b] list[2]',
  ],
  ['<script>&lt;</script>', '&lt;script>&amp;lt;&lt;/script>'],
  [
    '"*" and **bold**, _it_, snake_case, ~~gone~~',
    '"\\*" and \\*\\*bold\\*\\*, \\_it\\_, snake_case, \\~\\~gone\\~\\~',
  ],
  ['a | b \\', 'a \\| b \\\\'],
  ['\u202eright', '\\\\u202eright'],
])('prose of %j begins no markup', (text, expected) => {
  expect(prose(text)).toBe(expected);
});

test.each([
  ['a|b', '`a\\|b`'],
  ['a`b', '`` a`b ``'],
])('code of %j', (text, expected) => {
  expect(code(text)).toBe(expected);
});

test('has fields of objects and of items of lists, unless they are left out', () => {
  const schema = {
    type: 'object',
    properties: {
      ref: { type: 'object', properties: { name: { type: 'string' } } },
      rules: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } },
      any: { 'x-kubernetes-preserve-unknown-fields': true },
    },
  } as const;
  const rows = fieldRows('spec', schema, true, (path) => path === 'spec.ref');
  expect(rows.map(({ path, type }) => [path, type])).toEqual([
    ['spec', 'object'],
    ['spec.ref', 'object'],
    ['spec.rules', 'list of object'],
    ['spec.rules[].id', 'string'],
    ['spec.any', 'any'],
  ]);
  expect(fieldTable(rows.slice(0, 1))).toBe(
    '| Field | Type | Required | Default | Meaning |\n|---|---|---|---|---|\n| `spec` | object | yes |  |  |\n',
  );
});
