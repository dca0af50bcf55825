import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { packTar } from 'modern-tar';
import { renderChart } from './render-chart.ts';

const chartFile = (name: string, text: string | Uint8Array) => ({ name, data: Buffer.from(text) });

const chartWith = (template: string, others: readonly ReturnType<typeof chartFile>[] = []) => ({
  files: [
    chartFile('Chart.yaml', 'apiVersion: v2\nname: c\nversion: 1.0.0\n'),
    chartFile('templates/a.yaml', template),
    ...others,
  ],
  values: {},
  release: { name: 'r', namespace: 'n' },
});

const render = (
  template: string,
  limits: Parameters<typeof renderChart>[1] = {},
  others: readonly ReturnType<typeof chartFile>[] = [],
) => renderChart(chartWith(template, others), limits);

describe('a chart that would take too much is stopped', () => {
  test.each([
    [
      'a template that includes itself',
      '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}',
      'depth',
    ],
    ['a text that executes itself', '{{ $t := "{{ tpl .t . }}" }}{{ tpl $t (dict "t" $t) }}', 'depth'],
    ['a map that contains itself', '{{ $m := dict }}{{ $_ := set $m "m" $m }}{{ toYaml $m }}', 'depth'],
    ['a long output', '{{ range until 100000 }}{{ repeat 100 "0123456789" }}{{ end }}', 'output'],
    ['many steps', '{{ range until 100000 }}{{ range until 1000 }}{{ end }}{{ end }}', 'steps'],
  ])('%s', (_, template, limit) => {
    const limits = { outputBytes: 1024 * 1024, steps: 2_000_000 };
    expect(() => render(template, { limits })).toThrow(expect.objectContaining({ limit }));
  });
});

test.each([
  [
    'each value that a text does not have is left out of it',
    'a: {{ tpl "{{ .x }}-{{ .y }}-{{ .x }}" (dict) | len }}',
    'a: 2',
  ],
  [
    'a pattern of files that is malformed finds all of them',
    '{{ range $n, $_ := .Files.Glob "{a" }}{{ $n }}: 1{{ end }}',
    'b.txt: 1',
  ],
  [
    'a pattern of files finds those that match',
    '{{ range $n, $_ := .Files.Glob "{a,c}*" }}{{ $n }}: 1{{ end }}x: 2',
    'x: 2',
  ],
])('as in Helm, %s', (_, template, text) => {
  expect(render(template, {}, [chartFile('b.txt', 'b')]).manifests.map((manifest) => manifest.text)).toEqual([
    text,
  ]);
});

test('YAML with aliases that expand to very much is refused', () => {
  const levels = Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`).join(
    '\n',
  );
  expect(() => render(`kind: X\na0: &a0 [x]\n${levels}\n`)).toThrow('excessive aliasing');
});

/** Each level has two of the next one. */
const doubling = (keyword: string, levels: number) => {
  const reference = (level: number) => ({ $ref: `#/definitions/d${level}` });
  const definitions = Object.fromEntries(
    Array.from({ length: levels }, (_, n) => [`d${n}`, { [keyword]: [reference(n + 1), reference(n + 1)] }]),
  );
  return JSON.stringify(
    { definitions: { ...definitions, [`d${levels}`]: { type: 'string' } }, allOf: [reference(0)] },
    undefined,
    1,
  );
};

test.each([
  {
    keyword: 'allOf',
    limits: {},
    refused: /^template: c\/values\.schema\.json:\d+:0: .* more than 50000000 steps$/,
  },
  {
    keyword: 'anyOf',
    limits: { steps: 1_000_000 },
    refused: /\.schema\.json:\d+:0: .* more than 1000000 steps$/,
  },
  {
    keyword: 'oneOf',
    limits: { steps: 1_000_000 },
    refused: /\.schema\.json:\d+:0: .* more than 1000000 steps$/,
  },
])(
  'a schema whose references double with each level by $keyword is refused with its file and line',
  ({ keyword, limits, refused }) => {
    const schema = chartFile('values.schema.json', doubling(keyword, 40));
    expect(() => render('a: 1', { limits }, [schema])).toThrow(refused);
  },
);

/** Values of which each comparison takes several steps. */
const manyItems = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ a: { b: [n + from] } }));

test.each<readonly [what: string, schema: object, list: readonly unknown[]]>([
  ['items that must differ', { uniqueItems: true }, manyItems(800)],
  ['items of a long list', { items: { enum: manyItems(500, 1_000_000) } }, manyItems(800)],
  ['a long constant', { items: { const: manyItems(500) } }, Array(500).fill(manyItems(500))],
  [
    'a pattern for long texts',
    { items: { pattern: `(${'a*'.repeat(40)}){2}$` } },
    Array(500).fill('ab'.repeat(200)),
  ],
  [
    'patterns for long names',
    { items: { patternProperties: { [`(${'a*'.repeat(40)}){2}$`]: {} } } },
    Array.from({ length: 500 }, () => ({ ['ab'.repeat(200)]: 1 })),
  ],
])('a schema with %s counts its work', (_, keyword, list) => {
  const schema = chartFile('values.schema.json', JSON.stringify({ properties: { list: keyword } }));
  const limits = { steps: 500_000, timeMs: 600_000 };
  expect(() => renderChart({ ...chartWith('a: 1', [schema]), values: { list } }, { limits })).toThrow(
    'c/values.schema.json:1:0: the template takes more than 500000 steps',
  );
});

test('a schema with very many problems reports the first of them', () => {
  const schema = chartFile('values.schema.json', doubling('anyOf', 12));
  expect(() => render('a: 1', {}, [schema])).toThrow(/^values don't meet the specifications/);
});

test('a reference that is no URL is refused', () => {
  const schema = chartFile('values.schema.json', '{"$ref": "#/%"}');
  expect(() => render('a: 1', {}, [schema])).toThrow('it is no URL');
});

/** An archive of a chart with a file of so many MiB. */
async function packed(name: string, mebibytes: number, inner?: Uint8Array): Promise<Uint8Array> {
  const chart = `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`;
  const large = Buffer.alloc(mebibytes * 1024 * 1024);
  const file = (path: string, body: string | Uint8Array) => ({
    header: { name: `${name}/${path}`, size: body.length },
    body,
  });
  const files = [file('Chart.yaml', chart), file('large', large)];
  return gzipSync(await packTar(inner === undefined ? files : [...files, file('charts/x.tgz', inner)]));
}

describe('what the archives in a chart unpack to is limited in sum', () => {
  test('by many archives', async () => {
    const one = await packed('x', 9);
    const names = ['a', 'b', 'c', 'd'].map((name) => `charts/${name}.tgz`);
    expect(() =>
      render(
        'a: 1',
        {},
        names.map((name) => chartFile(name, one)),
      ),
    ).toThrow('the archives of the chart unpack to more than 33554432 bytes');
  });

  test('by archives in archives', async () => {
    let archive = await packed('x', 9);
    for (let level = 0; level < 3; level++) archive = await packed('x', 9, archive);
    expect(() => render('a: 1', {}, [chartFile('charts/x.tgz', archive)])).toThrow(
      'unpack to more than 33554432 bytes',
    );
  });

  test('by one archive', async () => {
    const archive = await packed('x', 40);
    expect(() => render('a: 1', {}, [chartFile('charts/x.tgz', archive)])).toThrow(
      'unpack to more than 33554432 bytes',
    );
  });
});
