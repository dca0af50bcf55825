import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../../../../framework/base/time/clock.ts';
import { type ChartJobs, createChartJobs } from './chart-jobs.ts';

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
) =>
  own.run(
    {
      make: 'objects',
      chart,
      profile: '',
      configuration: {},
      release: { name: 'r', namespace: 'n' },
      capabilities: undefined,
    },
    { tenant, signal },
  );
const definitions = (folder: string) =>
  jobs.run(
    { make: 'definitions', folder, excluded: [] },
    { tenant: 'shop', signal: new AbortController().signal },
  );

/** What the work costs the thread of the event loop, in ms of CPU time. */
async function costOf(
  work: () => Promise<unknown>,
): Promise<{ readonly ms: number; readonly result: unknown }> {
  const before = process.threadCpuUsage();
  const result = await work().catch((error: unknown) => error);
  const { user, system } = process.threadCpuUsage(before);
  return { ms: (user + system) / 1000, result };
}

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
  const { ms, result } = await costOf(() => definitions(folder));
  expect(result).toHaveLength(60);
  expect(ms).toBeLessThan(300);
});

test.each([
  ['values', `- {${Array.from({ length: 20 }, (_, n) => `"k${n}": ["a", 1, true]`).join(', ')}}\n`],
  ['bytes', `- ${'x'.repeat(100_000)}\n`],
])(
  'an object with more %s than an API server takes is refused, and costs the event loop little',
  async (_what, line) => {
    const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\nlist:\n';
    const folder = await folderOf({ 'crds/a.yaml': head + line.repeat(Math.floor(4e6 / line.length)) });
    const { ms, result } = await costOf(() => render(folder));
    expect(result).toMatchObject({
      kind: 'terminal',
      message: expect.stringMatching(/^c\/crds\/a\.yaml: ConfigMap x has more than|^c\/crds\/a\.yaml:\d+: /),
    });
    expect(ms).toBeLessThan(300);
  },
);

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

test.each([1, 2])(
  'charts of %d tenants that take long do not hold up those of another one',
  async (tenants) => {
    const own = createChartJobs({ clock: systemClock });
    const [hostile, honest] = [await folderOf(slow), await folderOf(quick)];
    const { signal } = new AbortController();
    const timeOfCharts = async () => {
      const began = performance.now();
      for (let n = 0; n < 10; n++) await render(honest, 'honest', { signal }, own);
      return performance.now() - began;
    };
    const alone = await timeOfCharts();
    const all = Array.from({ length: 3 * tenants }, (_, n) =>
      render(hostile, `hostile ${n % tenants}`, { signal }, own).catch(() => undefined),
    );
    // Both processes have begun.
    await new Promise((done) => setTimeout(done, 3000));
    const beside = await timeOfCharts();
    // Twice the time alone and 2 s are wanted. This machine may be busy, and who waits for a process waits for a minute.
    expect(beside).toBeLessThan(3 * alone + 6000);
    await own.close();
    await Promise.all(all);
  },
  120_000,
);

test('a tenant whose objects take all its memory waits for the end of an attempt, and others go on', async () => {
  const own = createChartJobs({
    clock: systemClock,
    manifests: { maxBytes: 3000, maxBytesPerTenant: 1000 },
  });
  const folder = await folderOf(quick);
  const [first, second] = [new AbortController(), new AbortController()];
  await render(folder, 'hostile', first, own);
  let isDone = false;
  const waiting = render(folder, 'hostile', second, own).then(() => {
    isDone = true;
  });

  await render(folder, 'honest', new AbortController(), own);
  expect(isDone).toBe(false);

  first.abort();
  await waiting;
  await own.close();
});
