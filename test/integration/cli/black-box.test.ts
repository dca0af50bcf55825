import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { startTestEnvironment, type TestEnvironment } from '../harness/test-environment.ts';

/** What users start: the bundle, through its launcher, from another folder. */
const LAUNCHER = join(import.meta.dirname, '../../../bin/provider-kyma');

let environment: TestEnvironment;
let folder: string;
let caFile: string;
const running: ChildProcessWithoutNullStreams[] = [];

beforeAll(async () => {
  environment = await startTestEnvironment();
  // The processes that this file starts reconcile this file's resources.
  await environment.provider.stop();
  folder = await mkdtemp(join(tmpdir(), 'black-box-'));
  caFile = join(folder, 'ca.pem');
  await writeFile(caFile, environment.simulator.caCertificate);
});
afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});
afterAll(async () => {
  await environment.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Started {
  readonly child: ChildProcessWithoutNullStreams;
  output(): string;
}

function start(args: readonly string[], env: Record<string, string> = {}): Started {
  const own = [
    '--metrics-bind-address=127.0.0.1:0',
    '--health-probe-bind-addr=0',
    `--watch-label-selector=${environment.selector}`,
  ];
  const child = spawn(LAUNCHER, ['start', ...own, ...args], {
    cwd: '/',
    env: { PATH: process.env.PATH, HOME: folder, ...env },
  });
  running.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return { child, output: () => text };
}

const kubeconfig = () => ({ KUBECONFIG: environment.planes.management.kubeconfigPath });

test('SIGTERM ends it with exit code 0', async () => {
  const { child, output } = start([], kubeconfig());
  await eventually(() => expect(output()).toContain('controller started'));
  child.kill('SIGTERM');
  const [code, signal] = await once(child, 'exit');
  expect({ code, signal }).toEqual({ code: 0, signal: null });
});

test('without a cluster it names the places it tried and exits with 1', async () => {
  const { child, output } = start([]);
  const [code] = await once(child, 'exit');
  expect(code).toBe(1);
  expect(output()).toMatch(/cannot find a cluster: give --kubeconfig, set KUBECONFIG/);
  const [first = ''] = output().split('\n');
  expect(JSON.parse(first)).toMatchObject({
    level: 'error',
    msg: 'provider-kyma ends',
    error: expect.stringContaining('cannot find a cluster'),
  });
});

test('an unknown flag, or an invalid value, is refused with exit code 2', async () => {
  for (const args of [['--no-such-flag'], ['--poll=soon']]) {
    const { child } = start(args, kubeconfig());
    const [code] = await once(child, 'exit');
    expect(code).toBe(2);
  }
});

describe('a mapping becomes Ready', () => {
  const table = [
    {
      reason: 'flags, and the variable that Node reads',
      args: () => ['--kubeconfig', environment.planes.management.kubeconfigPath, '--allow-private-endpoints'],
      env: () => ({ NODE_EXTRA_CA_CERTS: caFile }),
    },
    {
      reason: 'environment twins, and the variable that other programs read',
      args: () => [],
      env: () => ({ ...kubeconfig(), ALLOW_PRIVATE_ENDPOINTS: 'true', SSL_CERT_FILE: caFile }),
    },
  ];
  test.each(table)('with $reason', async ({ args, env }) => {
    start(args(), env());
    const scenario = await environment.scenario();
    await scenario.applySources();
    await scenario.create();
    await scenario.untilReady();
    expect(scenario.mappings()).toHaveLength(1);
  });

  test('but not at a private address, unless that is allowed', async () => {
    start([], { ...kubeconfig(), NODE_EXTRA_CA_CERTS: caFile });
    const scenario = await environment.scenario();
    await scenario.applySources();
    await scenario.create();
    const { message } = await scenario.untilReason('Synced', 'ReconcileError');
    expect(message).toMatch(/127\.0\.0\.1|loopback|private/);
    expect(scenario.mappings()).toEqual([]);
  });
});
