import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Lexer } from 'yaml';
import { yamlExcess } from './configuration.ts';

const far = { maxBytes: 1_000_000, maxDepth: 1000, maxTokens: 1_000_000, maxAnchors: 1000 };

const parts = [
  '\n',
  '\n  ',
  ' ',
  '- ',
  'a',
  'key',
  ': ',
  ':',
  '? ',
  '[',
  ']',
  '{',
  '}',
  ', ',
  ',',
  '#',
  ' # x',
];
const others = [
  "'",
  '"',
  '|',
  '>-\n',
  '|2abc\n ',
  '&a ',
  '*a ',
  '!t ',
  '!!str ',
  '%YAML 1.2\n',
  '---\n',
  '...\n',
];
const rare = ['\t', '\r\n', '@', '`', '\\', '\ufeff', '\u00e9', '\u2028', '1.5', 'a+b/c==', '~', '<<'];
const texts = fc
  .array(fc.constantFrom(...parts, ...others, ...rare), { minLength: 1, maxLength: 60 })
  .map((all) => all.join(''));

test('a text has exactly the tokens that the lexer finds, whatever is known without it', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const tokens = [...new Lexer().lex(text)].length;
      expect(yamlExcess(text, { ...far, maxTokens: tokens })).toBeUndefined();
      expect(yamlExcess(text, { ...far, maxTokens: tokens - 1 })).toBe('tokens');
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['anchors', { ...far, maxAnchors: 1 }, '- &a x\n- *a\n'],
  ['depth', { ...far, maxDepth: 1 }, '[[x]]'],
  ['depth', { ...far, maxDepth: 1 }, '{a: {b: c}}'],
  ['bytes', { ...far, maxBytes: 5 }, '\u20ac\u20ac'],
  [undefined, { ...far, maxAnchors: 0, maxDepth: 0 }, "a: '[&*{'\n"],
])('%s', (excess, limits, text) => {
  expect(yamlExcess(text, limits)).toBe(excess);
});
