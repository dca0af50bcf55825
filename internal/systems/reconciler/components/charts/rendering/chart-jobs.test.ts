import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packTar } from 'modern-tar';
import { campaign } from '../../../../../../test/campaign/campaign.ts';
import { systemClock } from '../../../../../framework/base/time/clock.ts';
import {
  BLOB,
  OFS_DELTA,
  objectOf,
  offsetOf,
  packOfFiles,
  servePack,
  varint,
} from '../sources/git/pack.fixture.ts';
import { startHttpServer } from '../sources/http-server.fixture.ts';
import { openTestWorkspaces } from '../sources/workspaces.fixture.ts';
import { type ChartJobs, createChartJobs, createManifestBudget } from './chart-jobs.ts';
import type { Values } from './values.ts';

const jobs = createChartJobs({ clock: systemClock });
let root: string;
let charts = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'chart-jobs-'));
});
afterAll(async () => {
  await jobs.close();
  await rm(root, { recursive: true, force: true });
});

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(root, `chart-${charts++}`);
  const all = { 'Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n', ...files };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

const render = (
  chart: string,
  tenant = 'shop',
  { signal }: { readonly signal: AbortSignal } = new AbortController(),
  own: ChartJobs = jobs,
  configuration: Values = {},
) =>
  own.run(
    {
      make: 'objects',
      chart,
      profile: 'production',
      configuration,
      release: { name: 'r', namespace: 'n' },
      capabilities: undefined,
    },
    { tenant, signal },
  );
const definitions = (folder: string) =>
  jobs.run({ make: 'definitions', folder }, { tenant: 'shop', signal: new AbortController().signal });

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

const DOCUMENT = JSON.stringify(Array.from({ length: 80_000 }, (_, n) => ({ a: n })));
/** What this machine takes now to read a JSON document of a megabyte. */
function documentCost(): number {
  const before = process.threadCpuUsage();
  JSON.parse(DOCUMENT);
  return cpuSince(before);
}

/** What the work costs the thread of the event loop, in CPU times of a JSON document of a megabyte. */
async function costOf(
  work: () => Promise<unknown>,
): Promise<{ readonly documents: number; readonly result: unknown }> {
  const first = documentCost();
  const before = process.threadCpuUsage();
  const result = await work().catch((error: unknown) => error);
  const cost = cpuSince(before);
  return { documents: cost / Math.max(first, documentCost()), result };
}

/** Of all that the main thread does for a job, with a new process in place of one that was ended; the longest part of it is much shorter. */
const MAX_COST = 30;

/** Of a table whose rows take a process a second or more: each fifth in `make test`, all in `make test-faults`. */
const rowsOf = <T>(all: readonly T[]): readonly T[] =>
  all.filter((_, index) => index % 5 === 0 || campaign({ seed: 0, runs: 1 }).long);

/** A definition with 400 fields. */
const definition = (n: number) => {
  const field = (p: number) => `    field${p}: {description: "Field ${p} of kind ${n}", type: string}\n`;
  const fields = Array.from({ length: 400 }, (_, p) => field(p)).join('');
  return `apiVersion: v1\nkind: CustomResourceDefinition\nmetadata: {name: d${n}}\nspec:\n  properties:\n${fields}`;
};

test('the definitions of a version cost the event loop a small part of their time', async () => {
  const folder = await folderOf(
    Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${n}.yaml`, definition(n)])),
  );
  const { documents, result } = await costOf(() => definitions(folder));
  expect(result).toHaveLength(60);
  expect(documents).toBeLessThan(MAX_COST);
});

test.each([
  ['values', `- {${Array.from({ length: 20 }, (_, n) => `"k${n}": ["a", 1, true]`).join(', ')}}\n`],
  ['bytes', `- ${'x'.repeat(100_000)}\n`],
])(
  'an object with more %s than an API server takes is refused, and costs the event loop little',
  async (_what, line) => {
    const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\nlist:\n';
    const folder = await folderOf({ 'crds/a.yaml': head + line.repeat(Math.floor(4e6 / line.length)) });
    const { documents, result } = await costOf(() => render(folder));
    expect(result).toMatchObject({
      kind: 'terminal',
      message: expect.stringMatching(/^c\/crds\/a\.yaml: ConfigMap x has more than|^c\/crds\/a\.yaml:\d+: /),
    });
    expect(documents).toBeLessThan(MAX_COST);
  },
);

const MB = 1_000_000;
/** A mapping of so many bytes, with many values or with few. */
const manyLines = (bytes: number) => `a:\n${'- {a: 1, b: [c, d]}\n'.repeat(bytes / 20)}`;
const manyValues = (bytes: number) => `a: [${'[],'.repeat(bytes / 3)}]\n`;
const fewValues = (bytes: number) => `a: "${'x'.repeat(bytes)}"\n`;
/** Each has nine times what the one before has. */
const aliases = `? [&a0 [x], ${Array.from({ length: 12 }, (_, n) => `&a${n + 1} [${`*a${n},`.repeat(9)}]`).join(', ')}]\n: x\n`;

describe('YAML of megabytes costs the event loop little', () => {
  const object = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {text: x}\n';
  const whole = { 'templates/object.yaml': object };
  const reading = {
    'templates/a.yaml': `${object}---\n{{ $v := .Files.Get "a.yaml" | fromYaml }}{{ $v.Error | default "" | trunc 100 | quote }}: 1`,
  };
  const subchart = { 'charts/s/Chart.yaml': 'apiVersion: v2\nname: s\nversion: 1.0.0\n' };

  test.each(
    rowsOf<[where: string, files: Readonly<Record<string, string>>]>([
      ['many lines of values.yaml', { ...whole, 'values.yaml': manyLines(1.5 * MB) }],
      ['a long text of values.yaml', { ...whole, 'values.yaml': fewValues(8 * MB) }],
      ['aliases in a key of values.yaml', { ...whole, 'values.yaml': aliases }],
      ['the values of a profile', { ...whole, 'profile-production.yaml': manyLines(3 * MB) }],
      [
        'the values of a chart in the chart',
        { ...whole, ...subchart, 'charts/s/values.yaml': manyLines(4 * MB) },
      ],
      ['many lines of a template', { 'templates/a.yaml': manyLines(1.5 * MB) }],
      ['many values of a template', { 'templates/a.yaml': manyValues(4.9 * MB) }],
      ['a template of 8 MB', { 'templates/a.yaml': manyLines(8 * MB) }],
      ['what a template makes', { 'templates/a.yaml': `a:\n{{ range until 300000 }}- {a: 1}\n{{ end }}` }],
      ['a file that a template reads', { ...reading, 'a.yaml': manyLines(2 * MB) }],
      [
        'the file of the chart',
        { ...whole, 'Chart.yaml': `apiVersion: v2\nname: c\nversion: 1.0.0\n${manyLines(4 * MB)}` },
      ],
      ['a schema', { ...whole, 'values.schema.json': `{"enum": [${'[],'.repeat(MB)}0]}` }],
    ]),
  )('%s', async (_, files) => {
    const folder = await folderOf(files);
    const { documents, result } = await costOf(() => render(folder));
    if (result instanceof Error) {
      expect(result).toMatchObject({ kind: 'terminal' });
      expect(result.message).toMatch(/\.(?:yaml|json)\b|of memory$|of the schema\(s\)/);
      expect(result.message).not.toMatch(/RangeError|call stack/);
    } else expect(result).toHaveLength(1);
    expect(documents).toBeLessThan(MAX_COST);
  });

  test('a configuration with as many values as a task may have', async () => {
    const folder = await folderOf(whole);
    const values = Array.from({ length: 90_000 }, (_, n) => n);
    const dotted = Object.fromEntries(
      Array.from({ length: 1000 }, (_, n) => [`k${n}${'.a'.repeat(60)}`, 'x'.repeat(500)]),
    );
    const { documents, result } = await costOf(() =>
      render(folder, 'shop', new AbortController(), jobs, { ...dotted, values }),
    );
    if (result instanceof Error) expect(result.message).toMatch(/of memory$|more than/);
    else expect(result).toHaveLength(1);
    expect(documents).toBeLessThan(MAX_COST);
  });
});

/** Tens of thousands of parts, which are levels, arguments, stages or items. */
const N = 45_000;
describe('what has tens of thousands of parts ends with its file, or is rendered', () => {
  const chain = `${'.a'.repeat(N)}`;
  const nested = `{{ $d := dict "a" 1 }}{{ range until ${N} }}{{ $d = dict "a" $d }}{{ end }}`;
  test.each(
    rowsOf<[what: string, template: string]>([
      ['fields of a value', `{{ .Values${chain} }}`],
      ['keys of index', `{{ index .Values ${'"a" '.repeat(N)} }}`],
      ['keys of dig', `{{ dig ${'"a" '.repeat(N)} "x" (dict "a" (dict)) }}`],
      ['dots of a key of dig', `{{ dig "${chain}" "x" (dict "a" 1) }}`],
      [
        'dots of a key of get, set and unset',
        `{{ $d := set (dict) "${chain}" 1 }}{{ get (unset $d "${chain}") "${chain}" }}`,
      ],
      ['dictionaries of pluck', `{{ pluck "a" ${'(dict "a" 1) '.repeat(N)} | len }}`],
      ['dots of PathValue', `{{ .Values.PathValue "${chain}" }}`],
      ['dots of Table', `{{ .Values.Table "${chain}" }}`],
      ['stages of a pipeline', `{{ "a" ${'| toString '.repeat(N)} }}`],
      ['parentheses', `{{ ${'('.repeat(N)}1${')'.repeat(N)} }}`],
      ['levels of a dictionary as YAML', `${nested}{{ toYaml $d }}`],
      ['levels of a dictionary as JSON', `${nested}{{ toJson $d }}`],
      ['levels of a dictionary as TOML', `${nested}{{ toToml $d }}`],
      ['levels that are copied', `${nested}{{ deepCopy $d | len }}`],
      ['levels that are merged', `${nested}{{ merge (deepCopy $d) $d | len }}`],
      ['levels that are compared', `${nested}{{ deepEqual $d (dict "a" $d) }}`],
      ['levels that are printed', `${nested}{{ print $d }}`],
      ['levels of YAML', `{{ fromYaml (repeat ${N} "{a: ") | len }}`],
      ['levels of JSON', `{{ fromJson (repeat ${N} "[") | len }}`],
      ['levels of TOML', `{{ fromToml (print "a = " (repeat ${N} "[")) | len }}`],
      ['dots of a key of TOML', `{{ fromToml (print "a" (repeat ${N} ".a") " = 1") | len }}`],
      ['items of a list', `{{ concat (until ${4 * N}) (list 1) | len }}`],
      ['parts of a text', `{{ splitList "." (repeat ${N} "a.") | len }}`],
      ['spaces of an indentation', `{{ nindent ${1000 * N} "a" | len }}`],
      ['levels of a URL', `{{ urlParse (print "http://a" (repeat ${N} "/../a")) | len }}`],
      ['parts of a version', `{{ semverCompare (repeat ${N} ">1 || ") "1.2.3" }}`],
      ['groups of a pattern', `{{ regexMatch (print (repeat ${N} "(") (repeat ${N} ")")) "a" }}`],
      ['templates in each other', `{{ define "t" }}{{ include "t" . }}{{ end }}{{ include "t" . }}`],
    ]),
  )('%s', async (_, template) => {
    const { documents, result } = await costOf(async () =>
      render(await folderOf({ 'templates/a.yaml': `# ${template}\n` })),
    );
    if (result instanceof Error) {
      expect(result).toMatchObject({ kind: 'terminal' });
      expect(result.message).toMatch(/c\/templates\/a\.yaml|of memory$/);
      expect(result.message).not.toMatch(/RangeError|call stack/);
    } else expect(result).toEqual([]);
    expect(documents).toBeLessThan(MAX_COST);
  });

  test.each(
    rowsOf<[what: string, requirement: string]>([
      ['the parent of imported values', `import-values: [{child: a, parent: "a${'.a'.repeat(N)}"}]`],
      ['the child of imported values', `import-values: [{child: "a${'.a'.repeat(N)}", parent: a}]`],
      ['exported values', `import-values: ["a${'.a'.repeat(N)}"]`],
      ['a condition', `condition: "a${'.a'.repeat(N)}"`],
    ]),
  )('dots of %s', async (_, requirement) => {
    const folder = await folderOf({
      'Chart.yaml': `apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies:\n- {name: s, version: 1.0.0, ${requirement}}\n`,
      'charts/s/Chart.yaml': 'apiVersion: v2\nname: s\nversion: 1.0.0\n',
      'charts/s/values.yaml': 'a: {b: 1}\n',
      'templates/a.yaml': '# {{ toYaml .Values }}\n',
    });
    const { documents, result } = await costOf(() => render(folder));
    if (result instanceof Error) expect(result.message).toMatch(/Chart\.yaml|templates\/a\.yaml/);
    else expect(result).toEqual([]);
    expect(documents).toBeLessThan(MAX_COST);
  });
});

test('what cannot be parsed has its file and line', async () => {
  const text = `${definition(1)}---\na: {`;
  await expect(definitions(await folderOf({ 'a.yaml': text }))).rejects.toMatchObject({
    kind: 'terminal',
    message: expect.stringMatching(/^a\.yaml:40[67]: /),
  });
});

test('a long message of a template is cut', async () => {
  const folder = await folderOf({ 'templates/a.yaml': `{{ dig ${'"a" '.repeat(50_000)} "x" .Values }}` });
  const error = await render(folder).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: 'terminal' });
  expect(String(error).length).toBeLessThan(5000);
});

/** Takes many seconds of a process. */
const slow = { 'templates/a.yaml': 'a: {{ range until 6000 }}{{ range until 6000 }}{{ end }}{{ end }}' };
const quick = {
  'templates/a.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {text: {{ repeat 600 "x" }}}',
};

test('charts of two tenants that take long do not hold up those of another one', async () => {
  const tenants = 2;
  const own = createChartJobs({ clock: systemClock });
  const [hostile, honest] = [await folderOf(slow), await folderOf(quick)];
  const { signal } = new AbortController();
  let ended = 0;
  const all = Array.from({ length: 3 * tenants }, async (_, n) => {
    await render(hostile, `hostile ${n % tenants}`, { signal }, own).catch(() => undefined);
    ended++;
  });
  // Both processes have begun.
  await new Promise((done) => setTimeout(done, 1500));
  const before = ended;
  for (let n = 0; n < 5; n++) await render(honest, 'honest', { signal }, own);
  // However busy the machine is: otherwise each of the five would wait for the end of a hostile one.
  expect(ended - before).toBeLessThanOrEqual(2);
  await own.close();
  await Promise.all(all);
}, 300_000);

describe('packs of Git', () => {
  const open = async (served: Parameters<typeof servePack>[0]) => {
    await using server = await servePack(served);
    await using workspaces = await openTestWorkspaces({ unpackJobs: jobs });
    const url = `${server.url}/a.git`;
    const { signal } = new AbortController();
    const { folder } = await workspaces.openRoot({ component: 'a', version: served.commit, url }, signal);
    return { files: (await readdir(folder)).length };
  };
  const chart = { 'Chart.yaml': Buffer.from('apiVersion: v2\nname: c\nversion: 1.0.0\n') };

  /** Each object is the one before it with another first byte: what costs is to build one from its beginning. */
  const chains = (length: number, bytes: number): Buffer[] => {
    const objects = [objectOf(BLOB, Buffer.alloc(bytes, 1))];
    for (let n = 1; n < length; n++) {
      const insert = Buffer.from([1, n % 256]);
      // Copy `bytes - 1` from the offset 1: all bytes of offset and size are there.
      const copy = Buffer.from([0xf1, 1, (bytes - 1) & 255, ((bytes - 1) >> 8) & 255, (bytes - 1) >> 16]);
      const delta = Buffer.concat([varint(bytes), varint(bytes), insert, copy]);
      objects.push(objectOf(OFS_DELTA, delta, { before: offsetOf(objects.at(-1)?.length ?? 0) }));
    }
    return objects;
  };

  test.each<[string, () => Parameters<typeof servePack>[0], object]>([
    ['long chains of large objects', () => packOfFiles(chart, chains(100, 1_000_000)), { files: 2 }],
    ['chains of the largest objects', () => packOfFiles(chart, chains(16, 15_900_000)), { files: 2 }],
    [
      'a folder with many names',
      () =>
        packOfFiles(
          Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`file-${n}`, Buffer.from('a')])),
        ),
      { files: 4001 },
    ],
  ])(
    '%s cost the event loop little',
    async (_what, make, expected) => {
      const served = make();
      const { documents, result } = await costOf(() => open(served));
      // The largest objects may need more memory than the process has: then it ends, and says so.
      if (result instanceof Error) expect(result.message).toContain('112 MiB of memory');
      else expect(result).toEqual(expected);
      expect(documents).toBeLessThan(4 * MAX_COST);
    },
    120_000,
  );

  // Those with many names are above.
  test('a repository with as many bytes as that of Kyma is unpacked', async () => {
    const names = Array.from({ length: 1000 }, (_, n) => [`file-${n}`, randomBytes(21_000)] as const);
    const served = packOfFiles({ ...chart, ...Object.fromEntries(names) });
    expect(await open(served)).toEqual({ files: 1002 });
  }, 120_000);
});

describe('archives', () => {
  const open = async (archive: Uint8Array) => {
    await using server = await startHttpServer((_, response) => void response.end(archive));
    await using workspaces = await openTestWorkspaces({ unpackJobs: jobs });
    const request = { component: 'a', version: '', url: `${server.url}/a` };
    const { folder } = await workspaces.openRoot(request, new AbortController().signal);
    return { files: (await readdir(folder)).length };
  };
  const file = (name: string, pax?: Readonly<Record<string, string>>) => ({
    header: { name, size: 1, ...(pax && { pax }) },
    body: 'x',
  });
  /** A header of some megabytes with very many fields. */
  const fields = () => Object.fromEntries(Array.from({ length: 400_000 }, (_, n) => [n.toString(36), '']));

  test.each(
    rowsOf([
      ['of very many files', () => packTar(Array.from({ length: 4000 }, (_, n) => file(`file-${n}`)))],
      ['with a large header', () => packTar([file('a', fields())])],
      ['with several large headers', () => packTar(['a', 'b', 'c'].map((name) => file(name, fields())))],
    ] as const),
  )(
    'one %s costs the event loop little',
    async (_what, pack) => {
      const archive = gzipSync(await pack());
      const { documents, result } = await costOf(() => open(archive));
      // It may need more memory than the process has: then it ends, and says so.
      if (result instanceof Error) expect(result.message).toContain('112 MiB of memory');
      else expect(result).toEqual({ files: expect.any(Number) });
      expect(documents).toBeLessThan(4 * MAX_COST);
    },
    120_000,
  );
});

/** An object that takes twenty times its text in memory, 5.8 MiB. */
const empty = (name: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: [{{ range until 90000 }}{},{{ end }}]\n`;

test('a tenant whose objects take all its memory waits for the end of an attempt, and others go on', async () => {
  const chart = await folderOf({ 'templates/a.yaml': empty('a') });
  const own = createChartJobs({ clock: systemClock });
  const attempts = [1, 2, 3].map(() => new AbortController());
  let ended = 0;
  const rendering = attempts.map(async (attempt) => {
    await render(chart, 'hostile', attempt, own);
    ended++;
  });
  await Promise.all(rendering.slice(0, 2));
  const other = new AbortController();
  await render(chart, 'shop', other, own);
  other.abort();
  expect(ended).toBe(2);
  attempts[0]?.abort();
  await rendering[2];
  await own.close();
});

test('a chart whose objects take more memory than a tenant has is refused', async () => {
  const names = ['a', 'b', 'c'];
  const chart = await folderOf(
    Object.fromEntries(names.map((name) => [`templates/${name}.yaml`, empty(name)])),
  );
  await expect(render(chart)).rejects.toThrow(
    'cannot render the chart: its objects need more than 32 MiB of memory',
  );
});

test('objects of a tenant count until the end of their attempt, and leave room for others', () => {
  const budget = createManifestBudget({ maxBytes: 100, maxBytesPerTenant: 60 });
  const attempts = Array.from({ length: 3 }, () => new AbortController());
  const [first, second, third] = attempts.map(({ signal }) => signal);
  if (!first || !second || !third) throw new Error('three are there');

  expect(budget.hold('hostile', 50, first)).toBe(true);
  expect(budget.hold('hostile', 20, second)).toBe(false);
  expect(budget.hold('hostile', 10, second)).toBe(true);
  expect(budget.hasRoom('hostile', 1)).toBe(false);
  expect(budget.hasRoom('honest', 1)).toBe(true);
  expect(budget.hold('honest', 25, third)).toBe(false);
  expect(budget.hold('honest', 24, third)).toBe(true);
  expect(budget.hasRoom('other', 10)).toBe(false);
  expect(budget.hasRoom('other', 9)).toBe(true);

  attempts[0]?.abort();
  expect(budget.hold('hostile', 50, first)).toBe(true);
  expect(budget.hasRoom('hostile', 1)).toBe(true);
});
