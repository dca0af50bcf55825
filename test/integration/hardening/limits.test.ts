/** What is too large, too deep, too long or too often: a limit holds it, and others are served. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { valueAt } from '../../../internal/base/json/json-field.ts';
import { sleep, systemClock } from '../../../internal/base/time/clock.ts';
import { eventually } from '../../environment/eventually.ts';
import { type FaultEnvironment, startFaultEnvironment } from '../faults/fault-environment.ts';
import { expectBystanderServed } from './bystander.ts';
import { forwardTo, startTlsServer, type TlsHandler, type TlsServer } from './tls-server.ts';

let environment: FaultEnvironment;
let servers: TlsServer[] = [];
beforeAll(async () => {
  environment = await startFaultEnvironment();
});
afterEach(async () => {
  await environment.killProviders();
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
});
afterAll(() => environment?.stop());

async function serverWith(handler: TlsHandler): Promise<TlsServer> {
  const server = await startTlsServer(handler);
  servers.push(server);
  return server;
}

test('a maintenance page with a Retry-After of a day closes a watch for no longer than the bound', async () => {
  const { kubeconfig, token } = environment.account;
  const { server } = environment.planes.management;
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
  const provider = await environment.run({ kubeconfig: gateway.kubeconfig(token) });
  await eventually(() => expect(refusals).toBeGreaterThan(3));
  maintained = false;
  const created = await environment.scenario();
  await created.applySources();
  await created.create();
  // A minute, and what a busy machine needs besides.
  await created.untilReady(120_000);
  // From here on the servers behave normally.
  await expectBystanderServed(environment, provider);
}, 200_000);

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
  const provider = await environment.run({ args: ['--poll=1s'] });
  const hostile = await Promise.all(
    Object.values(attacks).map(async (kubeconfig) => {
      const scenario = await environment.scenario();
      await scenario.applyKubeconfig({ kubeconfig });
      await scenario.create();
      return scenario;
    }),
  );
  await expectBystanderServed(environment, provider);
  for (const scenario of hostile) {
    const { message } = await scenario.untilReason('Synced', 'ReconcileError');
    expect(message).toContain('kubeconfig is refused');
  }
  await expectBystanderServed(environment, provider);
}, 60_000);

const MANY = 64 * 1024;
/** Writes as long as there is a reader: up to a MiB a second, since the attacker shares this machine. */
function flood(response: ServerResponse, next: () => string): void {
  const timer = setInterval(() => {
    if (response.destroyed) clearInterval(timer);
    else if (!response.writableNeedDrain) response.write(next());
  }, 60);
  response.on('close', () => clearInterval(timer));
}

const notFound = (request: IncomingMessage, response: ServerResponse) => {
  const name = request.url?.split('?')[0]?.split('/').at(-1);
  const status = { kind: 'Status', code: 404, reason: 'NotFound', message: 'no', details: { name } };
  response.writeHead(404, { 'content-type': 'application/json' }).end(JSON.stringify(status));
};
const isWatch = ({ url = '' }: IncomingMessage) => url.includes('watch=true');
const event = (name: string) =>
  `${JSON.stringify({ type: 'ADDED', object: { metadata: { name, resourceVersion: '1' } } })}\n`;
const begin = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' });

const apiServers: Record<string, TlsHandler> = {
  'responses without end': (_request, response) => {
    begin(response);
    flood(response, () => 'x'.repeat(MANY));
  },
  'small responses of large values': (_request, response) => {
    begin(response).end(`{"metadata":{"resourceVersion":"1"},"status":[${'{},'.repeat(300_000)}{}]}`);
  },
  'watch events without end': (request, response) => {
    if (!isWatch(request)) return notFound(request, response);
    begin(response);
    flood(response, () => 'x'.repeat(MANY));
  },
  'watch events in chunks of one byte': (request, response) => {
    if (!isWatch(request)) return notFound(request, response);
    begin(response);
    response.socket?.setNoDelay(true);
    flood(response, () => {
      for (let n = 0; n < 1000; n++) response.write('x');
      return 'x';
    });
  },
  'names without end': (request, response) => {
    if (!isWatch(request)) return notFound(request, response);
    begin(response);
    let count = 0;
    flood(response, () => Array.from({ length: 500 }, () => event(`${'n'.repeat(200)}${count++}`)).join(''));
  },
};

test('API servers that send without end fill no memory, and others are served meanwhile', async () => {
  const provider = await environment.run({ args: ['--poll=1s'] });
  for (const handler of Object.values(apiServers)) {
    const server = await serverWith(handler);
    const scenario = await environment.scenario({ kubeconfig: server.kubeconfig('t') });
    await scenario.create();
  }
  for (let n = 0; n < 4; n++) {
    await expectBystanderServed(environment, provider);
    await sleep(systemClock, 3000);
  }
}, 120_000);

test('a HANA Cloud host with tokens and lists that are large fills no cache', async () => {
  let kind: 'largest token' | 'token without end' = 'largest token';
  const grant = (length: number) =>
    JSON.stringify({ access_token: 't'.repeat(length), token_type: 'bearer', expires_in: 30 * 365 * 86_400 });
  const grants = { 'largest token': grant(16_000), 'token without end': grant(2_000_000) };
  const mapping = { platform: 'kubernetes', primaryID: 'x'.repeat(1_900_000), isDefault: false };
  const list = JSON.stringify({ mappings: [mapping] });
  const host = await serverWith((request, response) => {
    begin(response).end(request.url?.endsWith('/oauth/token') ? grants[kind] : list);
  });
  const folder = await mkdtemp(join(tmpdir(), 'hardening-'));
  const trusted = join(folder, 'ca.pem');
  await writeFile(trusted, `${environment.simulator.caCertificate}\n${host.authority}`);
  const provider = await environment.run({ args: ['--poll=1s'], env: { NODE_EXTRA_CA_CERTS: trusted } });
  const mappings = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      if (n === 10) kind = 'token without end';
      const made = environment.instanceMapping();
      const uaa = { url: host.url, clientid: `c${n}`, clientsecret: 's' };
      await made.applySecret({ credentials: JSON.stringify({ baseurl: host.url, uaa }) });
      // Nothing must be written to a host that accepts everything.
      await made.create({ spec: { managementPolicies: ['Observe'] } });
      return made;
    }),
  );
  for (let n = 0; n < 3; n++) {
    await expectBystanderServed(environment, provider);
    await sleep(systemClock, 3000);
  }
  expect(mappings).toHaveLength(20);
  await rm(folder, { recursive: true });
}, 120_000);

test('--poll=0s is refused before anything is reconciled', async () => {
  const refused = await environment.run({ args: ['--poll=0s'] }).catch((error: unknown) => String(error));
  expect(refused).toContain('it ended with 2');
  expect(refused).toContain("argument '0s' is invalid. want a duration such as 90s or 1m30s, 1s to 24h.");
});
