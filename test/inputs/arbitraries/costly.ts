/** What the API server accepts from a tenant and is meant to cost much: templates, parameters, metadata. */
import fc from 'fast-check';
import { hostileText } from './hostile.ts';

/** An object takes at most 1.5 MiB, a request 3 MiB. */
const LARGE = 1_000_000;

const count = fc.constantFrom(1, 1000, 100_000, 10_000_000);

/** Functions that search, copy, sort, compare or recurse, of texts that grow in the template. */
const calls = fc.constantFrom(
  'contains (print $b "b" $a) $a',
  'split $b $a | len',
  'replace $b "" $a | len',
  'regexMatch "(a+)+$" (print $a "b")',
  'list $a $b $a | sortAlpha | uniq | join ","',
  'repeat 100000 $a | len',
  'trunc 10 $a',
  'deepEqual (list $a $a) (list $a $b)',
  'toJson (list $a $a $a) | len',
  '$a | b64enc | b64enc | b64enc | len',
  '$a | sha256sum',
  '$a | upper | lower | title | len',
);

const sized = fc
  .record({ size: count, half: count, call: calls, loops: count })
  .map(
    ({ size, half, call, loops }) =>
      `{{ $a := repeat ${size} "a" }}{{ $b := repeat ${half} "ab" }}{{ range $i := until ${loops} }}{{ ${call} }}{{ end }}`,
  );

const yaml = fc.constantFrom(
  `a: ${'['.repeat(10_000)}`,
  `a: &a [${'x,'.repeat(10_000)}]\nb: [${'*a,'.repeat(1000)}]`,
  ': :\n'.repeat(100_000),
  `stringData: {${'"k": "v", '.repeat(20_000)}}`,
  `${'- '.repeat(50_000)}x`,
);

/** Templates of the Secret of a ServiceBinding. */
export const costlyTemplates: fc.Arbitrary<string> = fc.oneof(
  sized.map((template) => `stringData:\n  a: "${template}"`),
  yaml,
  fc.constantFrom(
    '{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}',
    '{{ range $i := until 1000000 }}{{ range $j := until 1000000 }}{{ end }}{{ end }}',
    `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`,
    '{{ range $k, $v := .credentials }}{{ $v | toJson | repeat 1000 }}{{ end }}',
  ),
  hostileText.map((text) => `stringData: {a: "{{ "${text}" | quote }}"}`),
);

/** Parameters as the text of a JSON object. */
export const costlyParameters: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(10, 400, 5000).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc
    .constantFrom(1000, 60_000)
    .map((keys) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, key) => [`k${key}`, key]))),
    ),
  fc
    .constantFrom(1000, 200_000)
    .map((items) => JSON.stringify({ list: Array.from({ length: items }, (_, n) => n) })),
  fc.tuple(hostileText, hostileText).map(([name, text]) => JSON.stringify({ [name || 'x']: text })),
  fc.constantFrom('x', '"', '\u0000', 'é').map((unit) => JSON.stringify({ text: unit.repeat(LARGE / 8) })),
);

/** Labels or annotations: 256 KiB of annotations is what the API server accepts. */
export const costlyAnnotations: fc.Arbitrary<Record<string, string>> = fc
  .constantFrom([1, 200_000], [2000, 60], [5000, 1])
  .map(([keys = 1, length = 1]) =>
    Object.fromEntries(
      Array.from({ length: keys }, (_, key) => [
        `services.cloud.sap.com/watch-secret-${key}`,
        'x'.repeat(length),
      ]),
    ),
  );

/** The texts of a watch response, one after the other. @param name of an object that the client watches */
export type WatchTexts = (name: string) => (number: number) => string;

const eventOf = (type: string, metadata: object, more: object = {}): string =>
  `${JSON.stringify({ type, object: { kind: 'X', apiVersion: 'v1', metadata, ...more } })}\n`;

const watchShapes: Readonly<Record<string, (size: number, text: string) => WatchTexts>> = {
  changesOfOneObject: (size, text) => (name) => (number) =>
    eventOf('MODIFIED', { name, resourceVersion: `${number}`, annotations: { a: text.repeat(size) } }),
  manyNames: (size, text) => () => (number) =>
    eventOf('ADDED', { name: `${text}${number}`.padEnd(size % 250, 'n'), resourceVersion: `${number}` }),
  comingAndGoing: () => (name) => (number) =>
    eventOf(number % 2 === 0 ? 'ADDED' : 'DELETED', { name, resourceVersion: `${number}` }),
  bookmarks: () => () => (number) => eventOf('BOOKMARK', { resourceVersion: `${number}` }),
  errors: (size, text) => () => () =>
    `${JSON.stringify({ type: 'ERROR', object: { code: 410, message: text.repeat(size) } })}\n`,
  manyValues: (size) => (name) => (number) =>
    `{"type":"MODIFIED","object":{"metadata":{"name":"${name}","resourceVersion":"${number}"},"x":[${'{},'.repeat(size)}1]}}\n`,
  nesting: (size) => (name) => (number) =>
    `{"type":"MODIFIED","object":{"metadata":{"name":"${name}","resourceVersion":"${number}","x":${'['.repeat(size)}${']'.repeat(size)}}}}\n`,
  emptyLines: (size) => () => () => '\n'.repeat(size),
  lineWithoutEnd: (size, text) => () => () => (text || 'x').replaceAll('\n', ' ').repeat(size),
};

/** What the API server of a kubeconfig Secret may send in a watch. */
export const costlyWatchEvents: fc.Arbitrary<{ readonly shape: string; readonly texts: WatchTexts }> = fc
  .record({
    shape: fc.constantFrom(...Object.keys(watchShapes)),
    size: fc.constantFrom(1, 60, 1000, 19_000, 100_000),
    text: hostileText,
  })
  .map(({ shape, size, text }) => ({
    shape: `${shape} of ${size}`,
    texts: watchShapes[shape]?.(size, text) ?? (() => () => ''),
  }));
