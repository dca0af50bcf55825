/** Texts and JSON values that break parsers. */
import fc from 'fast-check';
import { anyCharacter } from '../../campaign/any-character.ts';

/** Names that objects inherit, separators, control characters, marks of direction, halves of characters. */
const pieces = [
  '',
  '__proto__',
  'constructor',
  'toString',
  '.',
  '..',
  '/',
  '//',
  '\\',
  '%',
  '%2F',
  '%zz',
  '\u0000',
  '\u001b[31m',
  '\r\n',
  '\u2028',
  '\u202e',
  '\u200b',
  '\ufeff',
  '\ud800',
  '\udfff',
  '\u{1f600}',
  'é',
  'e\u0301',
  "'",
  '"',
  '`$(id)`',
  '{{.}}',
  '-',
  '--',
  '-1',
  '0',
  '1e999',
  '0x10',
  '9007199254740993',
  'NaN',
  'null',
  'true',
  ' ',
  ',',
  ':',
  '=',
  ';',
  '#',
  '&a',
  '*a',
  '!!js/function',
  '<<',
  '---\n',
  '[',
  ']',
  '{',
  '}',
  'https://',
  'http://[::1',
  'file:///etc/passwd',
  'user:password@',
  '-----BEGIN PRIVATE KEY-----',
] as const;

const piece = fc.constantFrom(...pieces);

/** Seldom long, since most time goes into long inputs. */
const long: fc.Arbitrary<string> = fc
  .tuple(piece, fc.constantFrom(64, 253, 254, 1024, 4096, 16_384, 70_000))
  .map(([text, length]) => (text || 'x').repeat(Math.ceil(length / (text || 'x').length)).slice(0, length));

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: piece, weight: 8 },
  { arbitrary: fc.array(piece, { maxLength: 6 }).map((texts) => texts.join('')), weight: 6 },
  { arbitrary: fc.string({ unit: anyCharacter, maxLength: 40 }), weight: 6 },
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }), weight: 3 },
  { arbitrary: long, weight: 1 },
);

/** A number that JSON or Go may have and a parser may not expect. */
const hostileNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 2 ** 31, 2 ** 53, 2 ** 64, 1e308, -1e308),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const leaf: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.constantFrom<unknown>(null, true, false),
);

/** Levels below, at and above the limits of parsers and of kube-apiserver. */
const levels = fc.constantFrom(10, 33, 65, 501, 9900);

const nested: fc.Arbitrary<unknown> = fc.tuple(levels, fc.boolean()).map(([depth, isList]) => {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level++) value = isList ? [value] : { a: value };
  return value;
});

export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: leaf, weight: 10 },
  { arbitrary: fc.array(leaf, { maxLength: 5 }), weight: 2 },
  { arbitrary: fc.dictionary(hostileText, leaf, { maxKeys: 4, noNullPrototype: true }), weight: 2 },
  { arbitrary: nested, weight: 1 },
);

/** `JSON.stringify` without recursion, for values of any nesting. */
export function jsonText(value: unknown): string {
  let text = '';
  const open: ({ readonly value: unknown } | string)[] = [{ value }];
  const pushAll = (last: string, parts: readonly (typeof open)[number][], first: string) => {
    open.push(last);
    for (const part of parts.toReversed()) open.push(part);
    open.push(first);
  };
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') {
      text += next;
    } else if (Array.isArray(next.value)) {
      const items = next.value.flatMap((item, index) => [...(index === 0 ? [] : [',']), { value: item }]);
      pushAll(']', items, '[');
    } else if (typeof next.value === 'object' && next.value !== null) {
      const members = Object.entries(next.value).flatMap(([name, member], index) => [
        `${index === 0 ? '' : ','}${JSON.stringify(name)}:`,
        { value: member },
      ]);
      pushAll('}', members, '{');
    } else text += JSON.stringify(next.value) ?? 'null';
  }
  return text;
}
