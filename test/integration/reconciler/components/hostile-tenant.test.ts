/**
 * A tenant that does its worst beside two honest ones, in the parts of a component reconciler: its workers, downloads, charts and
 * memory. Its actions are chosen at random from all kinds. The tasks of the honest ones are accepted and succeed while the hostile ones
 * go on, and the processes of charts stay within their memory. `make test-faults` has more runs, and compares the time as well.
 */
import '../../harness/timeout.ts';
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { packTar } from 'modern-tar';
import { createDeps } from '../../../../internal/framework/base/deps.ts';
import { nopLogger } from '../../../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';
import {
  type ChartJobs,
  createChartJobs,
} from '../../../../internal/systems/reconciler/components/charts/rendering/chart-jobs.ts';
import { createCharts } from '../../../../internal/systems/reconciler/components/charts/rendering/create-charts.ts';
import {
  type HttpServerOfTest,
  startHttpServer,
} from '../../../../internal/systems/reconciler/components/charts/sources/http-server.fixture.ts';
import {
  openTestWorkspaces,
  type WorkspacesOfTest,
} from '../../../../internal/systems/reconciler/components/charts/sources/workspaces.fixture.ts';
import { type Task, tenantOf } from '../../../../internal/systems/reconciler/components/model/task.ts';
import {
  createTaskPool,
  type TaskPool,
} from '../../../../internal/systems/reconciler/components/pool/task-pool.ts';
import {
  kubeconfigFor,
  testTask,
} from '../../../../internal/systems/reconciler/components/runner/fake-parts.fixture.ts';
import { campaign } from '../../../campaign/campaign.ts';

const { seed, runs, long } = campaign({ seed: 1, runs: 2 });
const WORKERS = 12;
const MIB = 1024 * 1024;
/** Of the processes of charts, which are looked at every 20 ms. */
const MAX_MEMORY = 2 * 160 * MIB + 128 * MIB;

type Files = Readonly<Record<string, string | Uint8Array>>;
const CHART = 'apiVersion: v2\nname: c\nversion: 1.0.0\n';
const configMap = (data: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {text: ${data}}\n`;

async function archiveOf(files: Files): Promise<Uint8Array> {
  const entries = Object.entries({ 'Chart.yaml': CHART, ...files }).map(([name, body]) => ({
    header: { name: `c/${name}`, size: Buffer.byteLength(body) },
    body,
  }));
  return gzipSync(await packTar(entries));
}

/** References that double with each level. */
const doubling = JSON.stringify({
  allOf: [{ $ref: '#/definitions/d0' }],
  definitions: Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [
      `d${n}`,
      n === 29
        ? { type: 'string' }
        : { anyOf: [{ $ref: `#/definitions/d${n + 1}` }, { $ref: `#/definitions/d${n + 1}` }] },
    ]),
  ),
});

/** How a host answers, beside archives. */
type Answer = 'silent' | 'slow' | 'endless';
/** A task without a chart of its own. */
interface Asked {
  /** At a host: `name:port`. */
  readonly urlOf?: (host: string) => string;
  readonly changes?: Partial<Task>;
}

/** What a task of the hostile tenant is made of: the files of its chart, how a host answers, or what the task asks for. */
const KINDS: Readonly<Record<string, () => Promise<Files | Answer | Asked>>> = {
  'a host that never answers': async () => 'silent',
  'a host that sends a byte a second': async () => 'slow',
  'a host without an end': async () => 'endless',
  'a template that takes long': async () => ({
    'templates/a.yaml': '{{ range until 6000 }}{{ range until 6000 }}{{ end }}{{ end }}',
  }),
  'a template that takes much memory': async () => ({
    'templates/a.yaml':
      '{{ $d := dict }}{{ range $i, $_ := until 100000 }}{{ $_ := set $d (toString $i) (repeat 5000 (toString $i)) }}{{ end }}{{ len $d }}',
  }),
  'a list that doubles': async () => ({
    'templates/a.yaml': '{{ $l := list 1 }}{{ range until 24 }}{{ $l = concat $l $l }}{{ end }}{{ len $l }}',
  }),
  'archives in a chart': async () => {
    const inner = await archiveOf({ large: Buffer.alloc(9 * MIB) });
    return Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`charts/x${n}.tgz`, inner]));
  },
  'many large objects': async () => ({
    'templates/a.yaml': `{{ range until 12 }}---\n${configMap('{{ repeat 1000000 "x" | quote }}')}{{ end }}`,
  }),
  'a schema that doubles': async () => ({
    'values.schema.json': doubling,
    'templates/a.yaml': configMap('a'),
  }),
  'a repository of Git that never answers': async () => ({
    urlOf: (host) => `http://${host}/silent/${numbers}.git`,
  }),
  'a registry that never answers': async () => ({
    urlOf: (host) => `oci://${host}/silent/${numbers}:1`,
  }),
  'the chart of the others': async () => ({ urlOf: () => `${honest.url}/${numbers}` }),
  'one API server by many kubeconfigs': async () => ({
    urlOf: (host) => `http://${host}/silent/${numbers}`,
    changes: {
      kubeconfig: `# server: https://decoy-${numbers}.example\n${kubeconfigFor('https://api.hostile.example', `u${numbers}`)}`,
    },
  }),
  'keys of many levels': async () => ({
    urlOf: () => `${honest.url}/${numbers}`,
    changes: {
      configuration: Object.fromEntries(
        Array.from({ length: 1000 }, (_, n) => [`k${n}${'.a'.repeat(63)}`, 'x'.repeat(50)]),
      ),
    },
  }),
  'very many files': async () =>
    Object.fromEntries(Array.from({ length: 4000 }, (_, n) => [`templates/f${n}.yaml`, ''])),
  'values that are nested deeply': async () => ({ 'values.yaml': `a: ${'{a: '.repeat(50_000)}` }),
  'aliases that expand': async () => ({
    'values.yaml': `a0: &a0 [x]\n${Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`).join('\n')}\n`,
  }),
  'a schema that compares': async () => ({
    'values.yaml': `a: [${Array.from({ length: 20_000 }, (_, n) => `{b: [${n}]}`).join(', ')}]\n`,
    'values.schema.json': JSON.stringify({ properties: { a: { uniqueItems: true } } }),
  }),
  'a pattern that takes long': async () => ({
    'templates/a.yaml': '{{ regexMatch (repeat 900 "(a*)*") (repeat 90000 "a") }}',
  }),
  'keys of certificates': async () => ({
    'templates/a.yaml': '{{ range until 500 }}{{ $_ := genPrivateKey "rsa" }}{{ end }}',
  }),
  'many documents': async () => ({
    'templates/a.yaml': '{{ range until 200000 }}---\na: 1\n{{ end }}',
  }),
  'much YAML': async () => ({ 'crds/a.yaml': `a:\n${'- {a: 1, b: [c, d]}\n'.repeat(200_000)}` }),
  'much YAML in values': async () => ({ 'values.yaml': `a:\n${'- {a: 1, b: [c, d]}\n'.repeat(200_000)}` }),
  'much YAML in a template': async () => ({ 'templates/a.yaml': `a: [${'[],'.repeat(1_600_000)}]` }),
  'aliases in a key': async () => ({
    'values.yaml': `? [&a0 [x], ${Array.from({ length: 12 }, (_, n) => `&a${n + 1} [${`*a${n},`.repeat(9)}]`).join(', ')}]\n: x\n`,
  }),
  'paths of imported values': async () => ({
    'Chart.yaml': `${CHART}dependencies:\n- {name: s, version: 1.0.0, import-values: [${'{child: a, parent: "a'.concat('.a'.repeat(45_000), '"},').repeat(10)}]}\n`,
    'charts/s/Chart.yaml': 'apiVersion: v2\nname: s\nversion: 1.0.0\n',
    'charts/s/values.yaml': 'a: {b: 1}\n',
  }),
  'levels that are copied': async () => ({
    'templates/a.yaml':
      '{{ $d := dict }}{{ range until 45000 }}{{ $d = dict "a" $d }}{{ end }}{{ range until 1000 }}{{ $_ := deepCopy $d }}{{ end }}',
  }),
};

let honest: HttpServerOfTest;
let hostile: HttpServerOfTest[];
let workspaces: WorkspacesOfTest;
let jobs: ChartJobs;
const archives = new Map<string, Uint8Array>();

beforeAll(async () => {
  others = await children();
  const chart = await archiveOf({ 'templates/a.yaml': configMap('{{ .Values.text | default "x" }}') });
  honest = await startHttpServer((_, response) => void response.end(chart));
  hostile = await Promise.all(Array.from({ length: 8 }, () => startHttpServer(answerHostile)));
  workspaces = await openTestWorkspaces({
    limits: { fetchTimeoutMs: 20_000 },
    // A run after the other, each with charts of its own.
    bounds: { maxRevisions: 20, maxBytes: 1024 * MIB, keepUsedMs: 2000 },
  });
  jobs = createChartJobs({ clock: systemClock });
});
afterAll(async () => {
  await jobs?.close();
  for (const server of [honest, ...(hostile ?? [])]) await server?.[Symbol.asyncDispose]();
  await workspaces?.[Symbol.asyncDispose]();
});

function answerHostile({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const [, kind = ''] = url.split('/');
  const archive = archives.get(kind);
  if (archive !== undefined) return void response.end(archive);
  if (kind === 'silent') return;
  response.writeHead(200);
  const chunk = kind === 'slow' ? Buffer.alloc(1) : Buffer.alloc(MIB);
  const timer = setInterval(() => response.write(chunk), kind === 'slow' ? 1000 : 5);
  response.once('close', () => clearInterval(timer));
}

let numbers = 0;
const isAsked = (made: Files | Asked | undefined): made is Asked => typeof made?.urlOf === 'function';
const taskOf = (account: string, url: string, changes: Partial<Task> = {}): Task => {
  const number = numbers++;
  const metadata = { ...testTask().metadata, globalAccountID: account };
  return testTask({
    component: `c${number}`,
    correlationID: `${number}`,
    callbackURL: `http://mothership.example/${number}`,
    kubeconfig: kubeconfigFor(`https://api.${account}.example`, `u${number}`),
    url,
    metadata,
    ...changes,
  });
};

/** A task of a kind, from one of the hosts of the tenant. */
async function hostileTask(kind: string, host: number): Promise<Task> {
  const made = await KINDS[kind]?.();
  const { url = '' } = hostile[host] ?? {};
  if (typeof made === 'string') return taskOf('hostile', `${url}/${made}/${numbers}`);
  if (isAsked(made)) return taskOf('hostile', made.urlOf?.(new URL(url).host) ?? '', made.changes);
  const name = `chart-${numbers}`;
  archives.set(name, await archiveOf(made ?? {}));
  return taskOf('hostile', `${url}/${name}/${numbers}`);
}

interface Running {
  readonly pool: TaskPool;
  /** Offers a task that must be accepted. Ends with how it ended: undefined after a success. */
  perform(task: Task): Promise<unknown>;
  stop(): Promise<void>;
}

/** The workers of a component reconciler, whose work is to fetch and render, and to keep the objects for a while. */
function startWorkers(): Running {
  const charts = createCharts({ workspaces, jobs });
  /** Of tasks that somebody waits for. */
  const ends = new Map<string, (end: unknown) => void>();
  const pool = createTaskPool({
    ...createDeps({ clock: systemClock, log: nopLogger }),
    size: WORKERS,
    work: async (task, stop) => {
      const attempt = new AbortController();
      const signal = AbortSignal.any([stop, attempt.signal]);
      const ended = charts.render(task, { signal, tenant: tenantOf(task) }).then(
        () => undefined,
        (error: unknown) => error,
      );
      ends.get(task.correlationID)?.(await ended);
      await ended;
      attempt.abort();
      return { delivery: Promise.resolve('applied' as never) };
    },
  });
  const stopping = new AbortController();
  const running = pool.runnable.start(stopping.signal, stopping.signal);
  return {
    pool,
    perform: (task) => {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      ends.set(task.correlationID, resolve);
      expect(pool.offer(task)).toBe('accepted');
      return promise;
    },
    stop: async () => {
      stopping.abort(new Error('the run has ended'));
      await running;
    },
  };
}

/** Two tasks of two honest tenants, one after the other. Returns the time of the longest, in ms. */
async function honestTasks({ perform }: Running): Promise<number> {
  const times = await Promise.all(
    ['honest-a', 'honest-b'].map(async (account) => {
      let longest = 0;
      for (let n = 0; n < 2; n++) {
        const task = taskOf(account, `${honest.url}/${numbers}`);
        const began = performance.now();
        expect(await perform(task)).toBeUndefined();
        longest = Math.max(longest, performance.now() - began);
      }
      return longest;
    }),
  );
  return Math.max(...times);
}

/** Child processes of this one: of charts, and those that stay from the set-up of all tests. */
async function children(): Promise<string[]> {
  const tasks = await readdir('/proc/self/task').catch(() => []);
  const pids = await Promise.all(
    tasks.map((task) => readFile(`/proc/self/task/${task}/children`, 'latin1').catch(() => '')),
  );
  return pids.flatMap((text) => text.split(' ').filter(Boolean));
}

let others: readonly string[] = [];

/** What the processes of charts have for themselves, in bytes. */
async function memoryOfChildren(): Promise<number> {
  let sum = 0;
  for (const pid of await children()) {
    if (others.includes(pid)) continue;
    const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
    sum += 1024 * Number(/^RssAnon:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0);
  }
  return sum;
}

const actions = fc.array(fc.record({ kind: fc.constantFrom(...Object.keys(KINDS)), host: fc.nat(7) }), {
  minLength: 5,
  maxLength: 40,
});

let aloneMs = 0;
test('honest tenants alone', async () => {
  const workers = startWorkers();
  for (let n = 0; n < 3; n++) aloneMs = Math.max(aloneMs, await honestTasks(workers));
  await workers.stop();
});

test.each(fc.sample(actions, { seed, numRuns: runs }).map((chosen, run) => ({ run, chosen })))(
  'honest tenants beside a hostile one, run $run',
  async ({ chosen }) => {
    const workers = startWorkers();
    let peak = 0;
    const watching = setInterval(async () => {
      peak = Math.max(peak, await memoryOfChildren());
    }, 50);
    for (const { kind, host } of chosen) workers.pool.offer(await hostileTask(kind, host));
    const ms = await honestTasks(workers);
    clearInterval(watching);
    await workers.stop();
    archives.clear();
    expect(peak).toBeLessThan(MAX_MEMORY);
    // Other programs run beside `make test`.
    if (long) expect(ms).toBeLessThan(2 * aloneMs + 2000);
  },
  120_000,
);
