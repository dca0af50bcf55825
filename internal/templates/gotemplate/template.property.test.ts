import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from '../../../test/campaign/any-character.ts';
import { propertyCampaign } from '../../../test/campaign/campaign.ts';
import { TemplateExecError, TemplateLimitError, TemplateParseError } from './errors.ts';
import { goldenFiles, readGoldenCases } from './goldens/golden-cases.fixture.ts';
import { parseTemplate } from './template.ts';
import { byteLength, fromBytes } from './values/text.ts';
import { dict, fromJson, GoInteger, GoSlice, INTEGER_TYPES, type Value } from './values/value.ts';

const LIMITS = { outputBytes: 10_000, memoryBytes: 1_000_000, steps: 10_000, timeMs: 60_000, depth: 30 };

/** The output, or undefined for one of the errors that a template may have. Anything else is thrown on. */
function render(text: string, data: Value): string | undefined {
  try {
    return parseTemplate('t', text, { limits: LIMITS }).execute(data);
  } catch (error) {
    const isKnown =
      error instanceof TemplateParseError ||
      error instanceof TemplateExecError ||
      error instanceof TemplateLimitError;
    if (!isKnown) throw error;
    expect(error.message).toMatch(/^(template: t:|the template )/);
    return undefined;
  }
}

const integer = fc
  .tuple(fc.constantFrom(...Object.values(INTEGER_TYPES)), fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }))
  .map(([type, value]) => new GoInteger(type, value));
const bytes = fc.uint8Array({ maxLength: 8 }).map(fromBytes);
const value: fc.Arbitrary<Value> = fc.oneof(
  fc.jsonValue({ maxDepth: 3, noneStringUnit: 'binary' } as fc.JsonSharedConstraints).map(fromJson),
  integer,
  bytes,
  fc.double(),
  fc.array(bytes, { maxLength: 3 }).map((items) => new GoSlice('string', items)),
);

const TOKENS = [
  ...['{{', '}}', '{{-', '-}}', ' ', '\n', '.', '.a', '.b.a', '$', '$x', ':=', '=', '|', '(', ')', ','],
  ...['"a"', '`r`', "'c'", '1', '-2', '1.5', '0x1F', '1e9', 'true', 'nil', '/*', '*/', '"\\xff"', '@', 'é'],
  ...['if', 'else', 'end', 'range', 'with', 'define', 'template', 'block', 'break', 'continue', '"t"'],
  ...[
    'print',
    'printf',
    '"%*.*v"',
    'len',
    'index',
    'slice',
    'eq',
    'lt',
    'and',
    'or',
    'not',
    'html',
    'js',
    'call',
  ],
  ...['{{end}}', '{{else}}', '{{if .a}}', '{{range .}}', '{{with .b}}', '{{$x := .a}}', '{{template "t" .}}'],
];

describe('no template crashes the engine or exceeds its limits', () => {
  const data = fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), value)
    .map((members) => dict(Object.entries(members)));

  test('of random text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), data, (text, values) => {
        render(text, values);
        render(`{{${text}}}`, values);
      }),
      propertyCampaign(100),
    );
  });

  test('of random tokens', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...TOKENS), { maxLength: 30 }),
        fc.boolean(),
        data,
        (tokens, spaced, values) => {
          const output = render(tokens.join(spaced ? ' ' : ''), values);
          if (output !== undefined) expect(byteLength(output)).toBeLessThanOrEqual(LIMITS.outputBytes);
        },
      ),
      propertyCampaign(600),
    );
  });

  test('of golden cases with changes', () => {
    const texts = goldenFiles().flatMap((file) => readGoldenCases(file));
    fc.assert(
      fc.property(
        fc.constantFrom(...texts),
        fc.nat(),
        fc.nat(10),
        fc.oneof(fc.constantFrom(...TOKENS), fc.string({ unit: anyCharacter, maxLength: 3 })),
        ({ template, data: own }, at, removed, inserted) => {
          const place = at % (template.length + 1);
          render(template.slice(0, place) + inserted + template.slice(place + removed), own);
        },
      ),
      propertyCampaign(600),
    );
  });

  test('of formats of printf', () => {
    const piece = fc.constantFrom(...'%%%%+-# 0123456789.*[]vTtdboOxXcqUeEfFgGsw!é'.split(''), '[1]', '[2]*');
    const format = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(format, value, value, (text, one, other) => {
        render('{{ printf .a .b .c }}', dict(Object.entries({ a: text, b: one, c: other })));
      }),
      propertyCampaign(600),
    );
  });
});

test('text without actions is its own output', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      fc.pre(!text.includes('{{'));
      expect(render(text, null)).toBe(text);
    }),
  );
});

test('a string is written as it is, whatever its bytes', () => {
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      const output = render('{{ .a }}{{ .b }}', dict(Object.entries({ a: one, b: other })));
      expect(output).toBe(render('{{ print .a .b }}', dict(Object.entries({ a: one, b: other }))));
    }),
  );
});

test('the same template gives the same output each time', () => {
  const template = parseTemplate('t', '{{ $x := 1 }}{{ range $k, $v := . }}{{ $x = $k }}{{ end }}{{ $x }}');
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string(), { minKeys: 1 }), (members) => {
      const data = fromJson(members);
      expect(template.execute(data)).toBe(template.execute(data));
    }),
  );
});
