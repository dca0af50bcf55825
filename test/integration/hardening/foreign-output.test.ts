/** What commands and metrics show of names and texts that others chose. */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import { type Cli, createCli } from '../harness/provider/cli-run.ts';
import type { ProviderProcess } from '../harness/provider/provider-process.ts';
import { expectBystanderServed } from './bystander.ts';

let environment: FaultEnvironment;
let provider: ProviderProcess;
let cli: Cli;
beforeAll(async () => {
  environment = await startFaultEnvironment();
  provider = await environment.run();
  cli = await createCli(environment.planes.management, environment.simulator.caCertificate);
});
afterAll(async () => {
  await cli?.stop();
  await environment.stop();
});

const hostileName = '\u001b[2J\u202e--as=x; touch pwned $(id) \'"\nok  API  mapped';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be printed
const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

test('doctor and plan show hostile names as text, and recommend commands that are safe in a shell', async () => {
  const attack = await environment.scenario();
  await attack.applySources();
  const kymaConnectionRef = { secretRef: { name: hostileName, namespace: 'default' } };
  await attack.create({ forProvider: { kymaConnectionRef } });
  await expectBystanderServed(environment, provider);
  const doctor = await cli.run(['doctor', attack.name]);
  expect(doctor.code).toBe(1);
  const plan = await cli.run(['plan', attack.name]);
  for (const { out, err } of [doctor, plan]) {
    expect(out + err).toContain('\\e[2J\\u202e');
    expect(out + err).not.toMatch(steering);
    expect(out + err).not.toMatch(/^ok {2}API {2}mapped/m);
  }
  const lines = doctor.out
    .split('\n')
    .filter((line) => line.includes('remediation:') && line.includes('touch'));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    const [, command = ''] = line.split('remediation: ');
    const print = `kubectl() { for each; do printf '%s\\0' "$each" >&2; done; }; ${command}`;
    const words = spawnSync('/bin/sh', ['-c', print], { encoding: 'utf8' }).stderr.split('\0');
    expect(words.some((word) => word.includes('; touch pwned $(id) \'"'))).toBe(true);
  }
  const json = await cli.run(['doctor', attack.name, '-o', 'json']);
  expect(json.out).not.toMatch(steering);
  expect(JSON.stringify(JSON.parse(json.out))).toContain(JSON.stringify(hostileName).slice(1, -1));
}, 120_000);

test('metrics have no host of a kubeconfig Secret, in any number', async () => {
  const scenario = await environment.scenario();
  await scenario.createReady();
  await expectBystanderServed(environment, provider);
  const { body } = await provider.get('/metrics');
  const hosts = new Set([...body.matchAll(/\bhost="([^"]*)"/g)].map(([, host]) => host));
  expect([...hosts].sort()).toEqual([new URL(environment.planes.management.server).host, 'remote'].sort());
  expect(body).not.toContain(new URL(environment.planes.kyma.server).host);
}, 120_000);
