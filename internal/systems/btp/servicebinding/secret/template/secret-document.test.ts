import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cpuTimeMs } from '../../../../../framework/base/time/cpu-time.fixture.ts';
import { parseSecretDocument, SecretDocumentError } from './secret-document.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function refusal(text: string): string {
  try {
    parseSecretDocument(text);
  } catch (error) {
    if (error instanceof SecretDocumentError) return error.message;
    throw error;
  }
  throw new Error('the document was not refused');
}

const invalidYaml = (why: string) => `It does not result in a valid Secret YAML: ${why}`;

describe('a rendered Secret', () => {
  test('[B93] labels, annotations, type and entries', () => {
    const document = parseSecretDocument(
      [
        '---',
        'apiVersion: v1',
        'kind: Secret',
        'metadata:',
        '  labels: { "shop.example/tier": gold, empty: "" }',
        '  annotations:',
        '    note: any text, of any length',
        'type: example.com/custom',
        'immutable: true',
        'data:',
        '  binary: /wA=',
        '  both: eA==',
        'stringData:',
        '  both: text wins',
        '  user: me',
      ].join('\n'),
    );
    expect(document).toEqual({
      type: 'example.com/custom',
      immutable: true,
      labels: { 'shop.example/tier': 'gold', empty: '' },
      annotations: { note: 'any text, of any length' },
      data: { binary: '/wA=', both: base64('text wins'), user: base64('me') },
    });
  });

  test.each([
    ['[B94] without kind and apiVersion', 'stringData: {a: b}', { a: 'b' }],
    [
      '[B149] unknown fields are ignored',
      'stringData: {a: b}\nstringdatum: [1]\nmetadata: {lables: 1}',
      { a: 'b' },
    ],
    ['an empty document has no entries', '# nothing\n', {}],
    ['null fields are empty', 'data: null\nstringData:\nmetadata: ~\nkind: null', {}],
    ['a null value is an empty text', 'stringData: {a: null, b: }', { a: '', b: '' }],
    [
      'plain texts are kept as written',
      'stringData: {a: 0123, b: yes, c: 1e3, d: 12345678901234567890, e: True}',
      {
        a: '0123',
        b: 'yes',
        c: '1e3',
        d: '12345678901234567890',
        e: 'True',
      },
    ],
    ['a block text', 'stringData:\n  a: |\n    {"x": 1}\n', { a: '{"x": 1}\n' }],
    ['the case of fields does not count', 'StringData: {A: b}', { A: 'b' }],
    ['of equal keys the last one counts', 'stringData: {a: b, a: c}', { a: 'c' }],
    ['aliases and merge keys', 'x: &x {a: b}\nstringData:\n  <<: *x\n  c: d', { a: 'b', c: 'd' }],
    ['base64 of several lines', 'data:\n  a: |\n    YWJj\n    ZGVm\n', { a: 'abcdef' }],
    [
      'names that every object inherits',
      'stringData: {__proto__: a, constructor: b}',
      JSON.parse('{"__proto__":"a","constructor":"b"}'),
    ],
  ])('%s', (_reason, text, entries: Record<string, string>) => {
    const { data } = parseSecretDocument(text);
    expect(data).toEqual(
      Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, base64(value)])),
    );
  });

  test('metadata may have a creationTimestamp, and fields without a value', () => {
    const { labels } = parseSecretDocument(
      'metadata: {creationTimestamp: null, name: "", finalizers: [], labels: {a: b}}',
    );
    expect(labels).toEqual({ a: 'b' });
  });
});

test.each([
  ['true', true],
  ['TRUE', true],
  ['false', false],
  ['False', false],
  ["''", undefined],
])('immutable: %s', (text, expected) => {
  expect(parseSecretDocument(`immutable: ${text}`).immutable).toBe(expected);
});

test.each([
  ...['deletionGracePeriodSeconds', 'deletionTimestamp', 'finalizers', 'generateName', 'generation'],
  ...['managedFields', 'name', 'namespace', 'ownerReferences', 'resourceVersion', 'selfLink', 'uid'],
])('a template must not set metadata.%s', (field) => {
  expect(() => parseSecretDocument(`metadata: {${field}: x}`)).toThrow(
    `Secret's metadata field '${field}' cannot be edited`,
  );
});

test('fields of metadata that a template must not set may be there without a value', () => {
  const fields = "name:\n  namespace: ''\n  finalizers: []\n  ownerReferences: null";
  expect(parseSecretDocument(`metadata:\n  ${fields}\nstringData: {a: b}`).data).toEqual({ a: base64('b') });
});

describe('a document that is no Secret for a binding', () => {
  test.each([
    [
      '[B97] [B150] another kind',
      'apiVersion: v1\nkind: Pod',
      "It is of kind '/v1, Kind=Pod' but needs to be of kind 'Secret'",
    ],
    [
      'a group',
      'apiVersion: apps/v1\nkind: Secret',
      "It is of kind 'apps/v1, Kind=Secret' but needs to be of kind 'Secret'",
    ],
    ['only a kind', 'kind: Secret', "It is of kind '/, Kind=Secret' but needs to be of kind 'Secret'"],
    ['only an apiVersion', 'apiVersion: v1', "It is of kind '/v1, Kind=' but needs to be of kind 'Secret'"],
    [
      'a type that gets a token of a service account',
      'type: kubernetes.io/service-account-token\nstringData: {a: b}',
      "A Secret of type 'kubernetes.io/service-account-token' cannot be created by a template",
    ],
    [
      'a type that is a token',
      'TYPE: bootstrap.kubernetes.io/token\nstringData: {a: b}',
      "A Secret of type 'bootstrap.kubernetes.io/token' cannot be created by a template",
    ],
    ['[B95] a name', 'metadata: {name: x}', "Secret's metadata field 'name' cannot be edited"],
    ['a namespace', 'metadata: {namespace: x}', "Secret's metadata field 'namespace' cannot be edited"],
    [
      'owners',
      'metadata: {ownerReferences: [{kind: x}]}',
      "Secret's metadata field 'ownerReferences' cannot be edited",
    ],
    ['a finalizer', 'metadata: {finalizers: [a/b]}', "Secret's metadata field 'finalizers' cannot be edited"],
    [
      'data that is not base64',
      'data: {a: s3cr3t}',
      invalidYaml('data["a"] is not base64; use stringData for text'),
    ],
    [
      'an entry that is a mapping',
      'stringData: {a: {s3cr3t: x}}',
      invalidYaml('stringData["a"] is not a text'),
    ],
    ['entries that are a list', 'stringData: [s3cr3t]', invalidYaml('stringData is not a mapping')],
    ['labels that are a text', 'metadata: {labels: s3cr3t}', invalidYaml('metadata.labels is not a mapping')],
    ['metadata that is a text', 'metadata: s3cr3t', invalidYaml('metadata is not a mapping')],
    ['a kind that is a list', 'kind: [s3cr3t]', invalidYaml('kind is not a text')],
    ['immutable with another value', 'immutable: s3cr3t', invalidYaml('immutable is not true or false')],
    ['a text', 's3cr3t', invalidYaml('it is not a mapping')],
    ['a list', '- s3cr3t', invalidYaml('it is not a mapping')],
    [
      'a second document',
      'stringData: {a: b}\n---\ndata: {c: s3cr3t}',
      invalidYaml('line 2, column 1: a second document'),
    ],
    [
      'a line with two mappings',
      'stringData:\n  a: s3cr3t: x',
      invalidYaml('line 2, column 6: a mapping within a line; quote values that contain ": "'),
    ],
    ['a quote without end', 'stringData:\n  a: "s3cr3t', invalidYaml('line 2, column 13: missing char')],
    ['an unknown tag', 'stringData: {a: !s3cr3t b}', invalidYaml('line 1, column 17: an unknown tag')],
    ['binary', 'stringData: {a: !!binary czNjcjN0}', invalidYaml('stringData["a"] is not a text')],
    [
      'an alias without anchor',
      'stringData: *s3cr3t',
      invalidYaml('an alias has no anchor, or aliases of aliases make it too large'),
    ],
    ['a text that is not UTF-8', 'stringData: {a: "\udcff"}', invalidYaml('it is not valid UTF-8')],
    [
      'a value of a label',
      'metadata: {labels: {a: "s3cr3t!"}}',
      'metadata.labels["a"] is not a valid value of a label',
    ],
    [
      'a key of a label',
      'metadata: {labels: {"a b": x}}',
      'metadata.labels has the key "a b", which is not a valid key of a label',
    ],
    [
      'a key of an annotation',
      'metadata: {annotations: {"/a": x}}',
      'metadata.annotations has the key "/a", which is not a valid key of an annotation',
    ],
    [
      'too long annotations',
      `metadata: {annotations: {a: ${'x'.repeat(2 ** 18)}}}`,
      'metadata.annotations has 262145 bytes; the limit is 262144 bytes',
    ],
  ])('%s', (_reason, text, message) => {
    const found = refusal(text);
    expect(found).toContain(message);
    expect(found).not.toContain('s3cr3t');
  });

  test.each([
    [
      'aliases of aliases',
      `a0: &a0 [x]\n${Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`).join('\n')}`,
      'more than 100 anchors and aliases',
    ],
    ['deep nesting', '['.repeat(100_000), 'nested deeper than 32 levels'],
    ['deep nesting in block style', `\n${'- '.repeat(10_000)}`, 'resource exhaustion'],
    ['many tokens', `[${'[],'.repeat(100_000)}]`, 'more than 200000 tokens'],
    ['a large text', 'x'.repeat(2 ** 20 + 1), 'more than 1048576 bytes'],
    ['many equal anchors', `[${'&a x,'.repeat(1000)}]`, 'more than 100 anchors and aliases'],
  ])('is refused and costs little: %s', (_reason, text, message) => {
    expect(cpuTimeMs(() => expect(refusal(`stringData: ${text}`)).toContain(message))).toBeLessThan(5000);
  });

  test('a mapping as key causes no warning of the process, which would quote it', () => {
    const { emitWarning } = process;
    const warnings: unknown[] = [];
    process.emitWarning = (warning: string | Error) => void warnings.push(warning);
    try {
      parseSecretDocument('? {a: s3cr3t}\n: b');
      expect(warnings).toEqual([]);
    } finally {
      process.emitWarning = emitWarning;
    }
  });

  test('any text is parsed or refused', () => {
    const parts = [
      'stringData:',
      ' ',
      '\n',
      '  a: ',
      'data:',
      'metadata:',
      '{',
      '}',
      '[',
      ']',
      '&x ',
      '*x',
      '|',
      '>-',
      '"',
      "'",
      '!!str ',
      '---',
      '%',
      '? ',
      '- ',
      '<<: ',
      '\u0000',
      '\t',
      'x',
    ];
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...parts), fc.string()), { maxLength: 40 }), (tokens) => {
        try {
          parseSecretDocument(tokens.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(SecretDocumentError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('labels that Kubernetes accepts are accepted', () => {
  test.each(['a', 'A_b.c-9', 'example.com/a', `${'x'.repeat(253)}/a`, 'x'.repeat(63)])('key %p', (key) => {
    expect(parseSecretDocument(`metadata: {labels: {"${key}": "V.1-x_2"}}`).labels).toEqual({
      [key]: 'V.1-x_2',
    });
  });

  test.each(['-a', 'a-', 'x'.repeat(64), 'A.com/a', 'a/b/c', '/', 'a/', `${'x'.repeat(254)}/a`, ''])(
    'not key %p',
    (key) => {
      expect(refusal(`metadata: {labels: {"${key}": "v"}}`)).toContain('is not a valid key of a label');
    },
  );

  test.each(['-a', 'a.', 'x'.repeat(64), 'a b', 'ä'])('not value %p', (value) => {
    expect(refusal(`metadata: {labels: {a: "${value}"}}`)).toContain('is not a valid value of a label');
  });
});
