import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { run } from '../../../internal/cli/program.ts';
import type { ProcessLike } from '../../../internal/console/process-like.ts';
import { eventually } from '../../environment/eventually.ts';
import {
  type ComponentReconciler,
  startComponentReconciler,
} from '../../environment/mothership/component-reconciler.ts';
import {
  type MothershipProgram,
  startMothershipProgram,
} from '../../environment/mothership/mothership-program.ts';
import { clusterDocument } from '../../environment/mothership/test-mothership.ts';
import { startTestDatabases, type TestDatabases } from '../../environment/postgres/test-databases.ts';
import { controlPlanes } from '../harness/control-planes/control-planes.ts';

let databases: TestDatabases;
let reconciler: ComponentReconciler;
let mothership: MothershipProgram;
let kubeconfig: string;
beforeAll(async () => {
  databases = await startTestDatabases();
  kubeconfig = (await controlPlanes()).kyma.kubeconfig;
  reconciler = await startComponentReconciler(({ component }) =>
    component === 'broken' ? { callbacks: [{ status: 'error', error: 'no image' }] } : {},
  );
  mothership = await startMothershipProgram({
    reconciler: reconciler.url,
    databaseUrl: await databases.server?.createDatabase(),
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
  expect(all.out.split('\n').map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
    ['RUNTIME', 'STATUS'],
    ['fine', 'ready'],
    ['sick', 'reconcile_error_retryable'],
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
  const wide = await ran('clusters', 'list', '--prefix', 'fi', '-o', 'wide');
  expect(wide.out).toContain('name of fine');

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
  await eventually(() => expect(watching.out.join('')).toMatch(/^RUNTIME/));
  await register('watched', ['a'], 'ready');
  await eventually(() => expect(watching.out.join('')).toMatch(/^watched +ready/m));
  watching.interrupt();
  expect(await watching.ended).toBe(0);
  expect(watching.err).toEqual([]);
  expect(watching.out.join('').match(/^RUNTIME/gm)).toHaveLength(1);
});

test('a mothership that does not answer, and a wrong command line, have their exit codes', async () => {
  const unreachable = await ran('clusters', 'list', '--mothership-url=http://127.0.0.1:1');
  expect(unreachable).toMatchObject({ code: 1, out: '' });
  expect(unreachable.err).toContain('GET /v1/clusters on 127.0.0.1:1 failed');
  expect((await ran('clusters', 'list', '--status', 'nonsense')).code).toBe(2);
  expect((await ran('clusters', 'list', '--token-file=/no/such/file')).code).toBe(2);
});
