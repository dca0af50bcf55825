import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { call } from '../../simulators/base/http/https-call.ts';

const main = fileURLToPath(new URL('../../simulators/hana-cloud/main.ts', import.meta.url));

let folder: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hana-simulator-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

function start(...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
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
  const { child, exit, output } = start(...args);
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

test.each([
  ['--latency', 'soon', 'soon is no span of time'],
  ['--port', '99999', '99999 is no port'],
])('%s %s is refused in one line', async (flag, value, says) => {
  const { exit, output } = start(flag, value);
  expect(await exit).toEqual([2, null]);
  expect(output()).toContain(says);
  expect(output().trim().split('\n')).toHaveLength(1);
});
