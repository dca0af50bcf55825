import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { ProcessLike } from '../../../../internal/framework/module/console/process-like.ts';
import { run } from '../../../../internal/program/program.ts';
import { eventually } from '../../../environment/eventually.ts';
import {
  type ComponentReconciler,
  startComponentReconciler,
} from '../../../environment/mothership/component-reconciler.ts';
import {
  type MothershipProgram,
  startMothershipProgram,
} from '../../../environment/mothership/mothership-program.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import {
  leftOut,
  startTestDatabases,
  type TestDatabases,
} from '../../../environment/postgres/test-databases.ts';
import { controlPlanes } from '../../harness/control-planes/control-planes.ts';

let databases: TestDatabases;
let reconciler: ComponentReconciler;
let mothership: MothershipProgram;
let databaseUrl: string | undefined;
let kubeconfig: string;
beforeAll(async () => {
  databases = await startTestDatabases();
  kubeconfig = (await controlPlanes()).kyma.kubeconfig;
  reconciler = await startComponentReconciler(({ component }) =>
    component === 'broken' ? { callbacks: [{ status: 'error', error: 'no image' }] } : {},
  );
  databaseUrl = await databases.server?.createDatabase();
  mothership = await startMothershipProgram({
    reconciler: reconciler.url,
    databaseUrl,
    env: { DEBUG_LOGGING_FOR_SPECIFIC_OPERATIONS: 'true' },
  });
});
afterAll(async () => {
  await mothership?.stop();
  await reconciler?.close();
  await databases.close();
});

/** A command in progress. */
interface Started {
  readonly out: string[];
  readonly err: string[];
  /** As Ctrl-C does. */
  interrupt(): void;
  readonly ended: Promise<ProcessLike['exitCode']>;
}

function start(...args: readonly string[]): Started {
  const out: string[] = [];
  const err: string[] = [];
  const listeners: (() => void)[] = [];
  const host: ProcessLike = {
    env: {},
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    on: (_, listener) => listeners.push(listener),
    removeListener: () => undefined,
    exit: () => undefined,
  };
  const ended = run(host, withUrl(args)).then(() => host.exitCode);
  return { out, err, ended, interrupt: () => listeners[0]?.() };
}

/** The URL comes first, since a later flag has precedence. */
const withUrl = ([group = '', ...rest]: readonly string[]) => [
  group,
  rest[0] ?? '',
  `--mothership-url=${mothership.url}`,
  ...rest.slice(1),
];

async function ran(...args: string[]) {
  const { out, err, ended } = start(...args);
  const code = await ended;
  return { code, out: out.join(''), err: err.join('') };
}

async function register(id: string, components: readonly string[], status: string): Promise<void> {
  await mothership.call('POST', '/v1/clusters', { body: clusterDocument(id, components, { kubeconfig }) });
  await statusIs(id, status);
}

const statusIs = (id: string, status: string) =>
  eventually(async () => {
    const { out } = await ran('clusters', 'get', id, '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({ status: { status } });
  });

test('clusters are listed by their states, shown with what failed, and have a history', async () => {
  await register('fine', ['a'], 'ready');
  await register('sick', ['a', 'broken'], 'reconcile_error_retryable');
  const all = await ran('clusters', 'list');
  expect(all).toMatchObject({ code: 0, err: '' });
  expect(all.out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
    ['NAME', 'RUNTIME', 'STATUS'],
    ['name of fine', 'fine', 'ready'],
    ['name of sick', 'sick', 'reconcile_error_retryable'],
    [''],
  ]);
  const failing = await ran(
    'clusters',
    'list',
    '--status',
    'error',
    'reconcile_error_retryable',
    '-o',
    'yaml',
  );
  expect(failing.out).toContain('runtimeID: sick');
  expect(failing.out).not.toContain('runtimeID: fine');
  const found = await ran('clusters', 'list', '--search', 'E OF FI', '--group', 'ready', '-o', 'json');
  expect(JSON.parse(found.out)).toMatchObject([{ runtimeID: 'fine', group: 'ready', held: false }]);
  expect(JSON.parse((await ran('clusters', 'list', '--search', 'n_me', '-o', 'json')).out)).toEqual([]);

  const sick = await ran('clusters', 'get', 'sick');
  expect(sick.out).toMatch(/^Status: +reconcile_error_retryable, for \d+s$/m);
  expect(sick.out).toMatch(/^broken +kyma-system +- +no image$/m);
  const history = await ran('clusters', 'history', 'sick', '-o', 'json');
  expect(JSON.parse(history.out).map(({ status }: { status: string }) => status)).toEqual([
    'reconcile_error_retryable',
    'reconciling',
    'reconcile_pending',
  ]);
});

test('a cluster is disabled, enabled and deleted; one that is not there ends with 3', async () => {
  await register('changing', ['a'], 'ready');
  expect(await ran('clusters', 'disable', 'changing')).toEqual({
    code: 0,
    out: '',
    err: 'provider-kyma clusters disable: cluster changing is reconcile_disabled\n',
  });
  await statusIs('changing', 'reconcile_disabled');
  expect((await ran('clusters', 'enable', 'changing')).code).toBe(0);
  await statusIs('changing', 'ready');
  expect((await ran('clusters', 'delete', 'changing')).err).toContain('cluster changing is delete');
  await eventually(async () => expect((await ran('clusters', 'get', 'changing')).code).toBe(3));
  for (const command of ['get', 'history', 'disable', 'delete']) {
    expect(await ran('clusters', command, 'nobody')).toMatchObject({ code: 3, out: '' });
  }
});

test('reconciliations are listed and shown; those that have ended refuse debug and stop', async () => {
  await register('runs', ['a', 'broken'], 'reconcile_error_retryable');
  const list = await ran('reconciliations', 'list', '--cluster', 'runs', '--last', '1', '-o', 'json');
  const [{ schedulingID }] = JSON.parse(list.out);
  const shown = await ran('reconciliations', 'get', schedulingID);
  expect(shown.out).toContain('runs: reconcile_error_retryable, finished');
  expect(shown.out).toMatch(/^2 +broken +reconcile +error +1 +- +no image$/m);
  const info = JSON.parse((await ran('reconciliations', 'get', schedulingID, '-o', 'json')).out);
  const [{ correlationID }] = info.operations;
  expect((await ran('reconciliations', 'debug', schedulingID)).code).toBe(1);
  expect((await ran('reconciliations', 'debug', 'none')).code).toBe(3);
  const stop = ['operations', 'stop', schedulingID, correlationID, '--reason', 'by hand'];
  const stopped = await ran(...stop);
  expect(stopped).toMatchObject({ code: 1, out: '' });
  expect(stopped.err).toContain('cannot stop the operation: it was sent already');
  const watched = await ran('reconciliations', 'get', schedulingID, '--watch');
  expect(watched.code).toBe(0);
  expect(watched.out).toMatch(/^2 +broken/m);
  expect((await ran('reconciliations', 'delete', 'runs')).code).toBe(0);
  expect((await ran('reconciliations', 'list', '--cluster', 'runs', '-o', 'json')).out).toBe('[]\n');
});

test('--watch prints each change once, until the command is interrupted', async () => {
  const watching = start('clusters', 'list', '--prefix', 'watched', '--watch');
  await eventually(() => expect(watching.out.join('')).toMatch(/^NAME/));
  await register('watched', ['a'], 'ready');
  await eventually(() => expect(watching.out.join('')).toMatch(/^name of watched +watched +ready/m));
  watching.interrupt();
  expect(await watching.ended).toBe(0);
  expect(watching.err).toEqual([]);
  expect(watching.out.join('').match(/^NAME/gm)).toHaveLength(1);
});

test('a mothership that does not answer, and a wrong command line, have their exit codes', async () => {
  const unreachable = await ran('clusters', 'list', '--mothership-url=http://127.0.0.1:1');
  expect(unreachable).toMatchObject({ code: 1, out: '' });
  expect(unreachable.err).toContain('GET /v1/clusters on 127.0.0.1:1 failed');
  expect((await ran('clusters', 'list', '--status', 'nonsense')).code).toBe(2);
  expect((await ran('clusters', 'list', '--token-file=/no/such/file')).code).toBe(2);
});

test('a cluster is named by its name wherever its runtimeID is; one name of several clusters is refused', async () => {
  await register('named', ['a'], 'ready');
  expect((await ran('clusters', 'get', 'name of named', '-o', 'json')).out).toContain('"runtimeID": "named"');
  expect((await ran('clusters', 'history', 'name of named')).code).toBe(0);
  expect((await ran('reconciliations', 'list', '--cluster', 'name of named')).out).toContain('named--');
  expect(await ran('clusters', 'reconcile', 'name of named')).toEqual({
    code: 0,
    out: '',
    err: 'provider-kyma clusters reconcile: cluster name of named is reconcile_pending: its run starts now\n',
  });
  await eventually(async () => {
    const { out } = await ran('reconciliations', 'list', '--cluster', 'named', '-o', 'json');
    expect(JSON.parse(out)).toHaveLength(2);
  });
  await statusIs('named', 'ready');
  await ran('clusters', 'disable', 'named');
  const refused = await ran('clusters', 'reconcile', 'named');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('its reconciliation is disabled; clusters enable starts it again');

  const document = clusterDocument('twin', ['a'], { kubeconfig });
  const runtimeInput = { ...document.runtimeInput, name: 'name of named' };
  await mothership.call('POST', '/v1/clusters', { body: { ...document, runtimeInput } });
  const ambiguous = await ran('clusters', 'get', 'name of named');
  expect(ambiguous.code).toBe(1);
  expect(ambiguous.err).toContain('several have this name; give one of named, twin');
});

test('paused rollouts are listed and resumed by their names, and held clusters say so', async () => {
  if (databaseUrl === undefined) return leftOut('commands about rollouts');
  await register('held', ['a'], 'ready');
  const database = databases.connect(databaseUrl);
  await sql`insert into rollouts (id, kind, name, reason, clusters, failed_clusters) values
    ('r-1', 'component', 'a', '4 of 20 clusters failed', 20, 4)`.execute(database.queries);
  await sql`update runtimes set held = true, next_run_at = now() where runtime_id = 'held'`.execute(
    database.queries,
  );

  const list = await ran('rollouts', 'list');
  expect(list.out).toMatch(
    /^KIND +NAME +STATE +SINCE +FAILED +HELD +RESUMED BY\ncomponent +a +paused +\d+s +4\/20 +\d+ +-\n$/,
  );
  const clusters = await ran('clusters', 'list', '--search', 'name of held');
  expect(clusters.out).toMatch(/^name of held +held +ready .* held$/m);
  expect((await ran('clusters', 'list', '--group', 'held', '-o', 'json')).out).toContain(
    '"runtimeID": "held"',
  );
  const shown = await ran('clusters', 'get', 'held');
  expect(shown.out).toMatch(/^Held by: +component a$/m);
  expect(JSON.parse((await ran('clusters', 'get', 'held', '-o', 'json')).out)).toMatchObject({ held: true });

  expect(await ran('rollouts', 'resume', 'b')).toMatchObject({
    code: 3,
    err: 'provider-kyma rollouts resume: cannot resume the rollout b: paused are a\n',
  });
  const resumed = await ran('rollouts', 'resume', 'a');
  expect(resumed.code).toBe(0);
  expect(resumed.err).toMatch(
    /the rollout of component a is resumed by \S+.*; \d+ clusters waited for it\n$/,
  );
  expect((await ran('rollouts', 'list', '-o', 'json')).out).toBe('[]\n');
  expect((await ran('rollouts', 'list', '--all')).out).toMatch(/^component +a +resumed /m);
  expect((await ran('clusters', 'get', 'held')).out).not.toContain('Held by');
});
