/** What is too large, too deep, too long or too often: a limit holds it, and others are served. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { valueAt } from '../../../internal/base/json-field.ts';
import { eventually } from '../../landscape/eventually.ts';
import { type FaultyWorld, startFaultyWorld } from '../faults/faulty-world.ts';
import { expectBystanderServed } from './bystander.ts';
import { forwardTo, startTlsServer, type TlsHandler, type TlsServer } from './tls-server.ts';

let world: FaultyWorld;
let servers: TlsServer[] = [];
beforeAll(async () => {
  world = await startFaultyWorld();
});
afterEach(async () => {
  await world.killProviders();
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});
afterAll(() => world?.stop());

async function serverWith(handler: TlsHandler): Promise<TlsServer> {
  const server = await startTlsServer(handler);
  servers.push(server);
  return server;
}

test('a maintenance page that asks for a day closes a watch for no longer than the bound', async () => {
  const { kubeconfig, token } = world.account;
  const { server } = world.planes.management;
  const authority = valueAt(parse(kubeconfig), ['clusters', '0', 'cluster', 'certificate-authority-data']);
  const forward = forwardTo(server, Buffer.from(String(authority), 'base64').toString());
  let refusals = 0;
  let maintained = true;
  const gateway = await serverWith((request, response) => {
    if (!maintained || !/\/(kyma)?instancemappings\?/.test(request.url ?? ''))
      return forward(request, response);
    refusals++;
    response
      .writeHead(503, { 'content-type': 'text/html', 'retry-after': '86400' })
      .end('<h1>Maintenance</h1>');
  });
  const provider = await world.run({ kubeconfig: gateway.kubeconfig(token) });
  await eventually(() => expect(refusals).toBeGreaterThan(3));
  maintained = false;
  const created = await world.scenario();
  await created.applySources();
  await created.create();
  await created.untilReady(75_000);
  // From here on everything is as usual.
  await expectBystanderServed(world, provider);
}, 150_000);

/** Close to the largest that a Secret can hold. */
const SIZE = 900_000;
const good = 'current-context: x\ncontexts: []\n';
const attacks: Record<string, string> = {
  'nested sequences': '['.repeat(SIZE),
  'nested mappings': '{a: '.repeat(SIZE / 4),
  'nested blocks': '- '.repeat(SIZE / 2),
  'many keys': good + Array.from({ length: SIZE / 10 }, (_, n) => `k${n}: v\n`).join(''),
  'many keys, not too large': good + Array.from({ length: 20_000 }, (_, n) => `k${n}: v\n`).join(''),
  'a server of slashes': `server: https://x/${'/'.repeat(SIZE)}x`,
};

test('kubeconfigs that are slow to parse are refused, and others are served meanwhile', async () => {
  const provider = await world.run({ args: ['--poll=1s'] });
  const hostile = await Promise.all(
    Object.values(attacks).map(async (kubeconfig) => {
      const scenario = await world.scenario();
      await scenario.applyKubeconfig({ kubeconfig });
      await scenario.create();
      return scenario;
    }),
  );
  await expectBystanderServed(world, provider);
  for (const scenario of hostile) {
    const { message } = await scenario.untilReason('Synced', 'ReconcileError');
    expect(message).toContain('kubeconfig is refused');
  }
  await expectBystanderServed(world, provider);
}, 60_000);

test('--poll=0s is refused before anything is reconciled', async () => {
  const refused = await world.run({ args: ['--poll=0s'] }).catch((error: unknown) => String(error));
  expect(refused).toContain('it ended with 2');
  expect(refused).toContain("argument '0s' is invalid. want a duration such as 90s or 1m30s, 1s to 24h.");
});
