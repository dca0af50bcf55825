import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { call } from '../../simulators/base/http/https-call.ts';

const mainOf = (simulator: string) =>
  fileURLToPath(new URL(`../../simulators/${simulator}/main.ts`, import.meta.url));

let folder: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hana-simulator-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

function start(simulator: 'hana-cloud' | 'service-manager', ...args: string[]) {
  const child = spawn(process.execPath, [mainOf(simulator), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const exit = once(child, 'exit');
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  return { child, exit, output: () => output };
}

test('the command prints where it listens and a Secret to apply, can be steered, and stops on SIGTERM', async () => {
  const ca = join(folder, 'ca.pem');
  const args = [
    '--instance',
    'i-1',
    '--latency',
    '20ms',
    '--token-lifetime',
    '2m',
    '--ca-out',
    ca,
    '--print-secret',
  ];
  const { child, exit, output } = start('hana-cloud', ...args);
  while (!output().includes('"stringData"')) await new Promise((resolve) => setTimeout(resolve, 20));
  while (!output().trimEnd().endsWith('}')) await new Promise((resolve) => setTimeout(resolve, 20));
  const [, url = ''] = /API +(https:\S+)/.exec(output()) ?? [];
  const { body } = await call(`${url}/_simulator/state`, await readFile(ca, 'utf8'));
  expect(JSON.parse(body)).toMatchObject({
    instances: { 'i-1': [] },
    settings: { latencyMs: 20, tokenLifetimeSeconds: 120 },
  });
  const secret = JSON.parse(output().slice(output().indexOf('---\n') + 4));
  expect(secret).toMatchObject({ kind: 'Secret', stringData: { baseurl: url.replace('https://', '') } });
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

test('the command of Service Manager prints a Secret of the operator, and its faults can be set', async () => {
  const ca = join(folder, 'ca.pem');
  const options = ['--rate-limit', '600/1m', '--ca-out', ca, '--print-secret', '--secret-form', 'x509'];
  const { child, exit, output } = start('service-manager', ...options);
  while (!output().trimEnd().endsWith('}')) await new Promise((resolve) => setTimeout(resolve, 20));
  const [, url = ''] = /API +(https:\S+)/.exec(output()) ?? [];
  const secret = JSON.parse(output().slice(output().indexOf('---\n') + 4));
  expect(secret).toMatchObject({
    kind: 'Secret',
    metadata: { name: 'sap-btp-service-operator', namespace: 'sap-btp-operator' },
    stringData: { sm_url: url, tokenurl: url, tokenurlsuffix: '/oauth/token' },
  });
  const pem = await readFile(ca, 'utf8');
  const rule = { on: { route: 'createInstance', name: 'a', first: 1 }, do: { kind: 'router-404' } };
  const mode = { on: { plan: 'standard' }, mode: { async: { polls: 3, outcome: 'failed' } } };
  for (const [path, body] of [
    ['faults', rule],
    ['modes', mode],
  ] as const) {
    const init = { method: 'POST', body: JSON.stringify(body) };
    expect(await call(`${url}/_simulator/${path}`, pem, init)).toMatchObject({ status: 200 });
  }
  expect(JSON.parse((await call(`${url}/_simulator/state`, pem)).body)).toMatchObject({
    settings: { rateLimit: { requests: 600, windowMs: 60_000 } },
    faults: [rule],
    modes: [mode, expect.anything()],
    instances: [],
  });
  const wrong = { method: 'POST', body: '{"on":{},"do":{"kind":"other"}}' };
  expect(await call(`${url}/_simulator/faults`, pem, wrong)).toMatchObject({ status: 400 });
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

test.each([
  ['hana-cloud', '--latency', 'soon', 'soon is no span of time'],
  ['hana-cloud', '--port', '99999', '99999 is no port'],
  ['service-manager', '--rate-limit', 'fast', 'fast is no rate'],
] as const)('%s: %s %s is refused in one line', async (simulator, flag, value, says) => {
  const { exit, output } = start(simulator, flag, value);
  expect(await exit).toEqual([2, null]);
  expect(output()).toContain(says);
  expect(output().trim().split('\n')).toHaveLength(1);
});
