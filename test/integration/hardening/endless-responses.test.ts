/** Servers that send without end, or as much as a limit allows: they are cut off, and others are served meanwhile. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { eventually } from '../../environment/eventually.ts';
import { type FaultEnvironment, inFaultEnvironment } from '../faults/fault-environment.ts';
import { expectBystanderServed, expectMemoryBounded } from './bystander.ts';
import { startTlsServer, type TlsHandler, type TlsServer } from './tls-server.ts';

async function serverFor(environment: FaultEnvironment, handler: TlsHandler): Promise<TlsServer> {
  const server = await startTlsServer(handler);
  environment.onStop(server.close);
  return server;
}

const MANY = 64 * 1024;

/** Writes until the client disconnects: up to 2 MiB a second, since the attacker shares this machine. */
function flood(to: Writable, next: () => string, ended: (bytes: number) => void): void {
  let bytes = 0;
  const timer = setInterval(() => {
    if (to.destroyed || to.writableNeedDrain) return;
    const text = next();
    bytes += text.length;
    to.write(text);
  }, 30);
  to.on('close', () => {
    clearInterval(timer);
    ended(bytes);
  });
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

/** Handles requests; calls `ended` with the bytes of each response when it has ended. */
type Attack = (request: IncomingMessage, response: ServerResponse, ended: (bytes: number) => void) => void;

const apiServers: readonly Attack[] = [
  function responsesWithoutEnd(_request, response, ended) {
    begin(response);
    flood(response, () => 'x'.repeat(MANY), ended);
  },
  function smallResponsesOfLargeValues(_request, response, ended) {
    const text = `{"metadata":{"resourceVersion":"1"},"status":[${'{},'.repeat(300_000)}{}]}`;
    begin(response).end(text);
    ended(text.length);
  },
  function watchEventsWithoutEnd(request, response, ended) {
    if (!isWatch(request)) return notFound(request, response);
    begin(response);
    flood(response, () => 'x'.repeat(MANY), ended);
  },
  function watchEventsInChunksOfOneByte(request, response, ended) {
    if (!isWatch(request)) return notFound(request, response);
    begin(response).flushHeaders();
    const { socket } = response;
    // Many chunks in one write: the attacker shares this process with the tests.
    flood(
      socket ?? response,
      () => '1\r\nx\r\n'.repeat(2000),
      (bytes) => ended(bytes / 6),
    );
  },
  function namesWithoutEnd(request, response, ended) {
    if (!isWatch(request)) return notFound(request, response);
    begin(response);
    let count = 0;
    const events = () => Array.from({ length: 500 }, () => event(`${'n'.repeat(200)}${count++}`)).join('');
    flood(response, events, ended);
  },
];

/** More than the limits of responses, watch events and names, with what is in flight when the client disconnects. */
const MAX_SENT = 8 * 2 ** 20;

test.concurrent(
  'the provider disconnects from API servers that send without end, and serves others meanwhile',
  inFaultEnvironment(async (environment) => {
    const provider = await environment.run({ args: ['--poll=1s'] });
    /** The bytes of responses that have ended, by attack. */
    const sent = new Map<string, number[]>(apiServers.map(({ name }) => [name, []]));
    for (const attack of apiServers) {
      const server = await serverFor(environment, (request, response) =>
        attack(request, response, (bytes) => sent.get(attack.name)?.push(bytes)),
      );
      const scenario = await environment.scenario({ kubeconfig: server.kubeconfig('t') });
      await scenario.create();
    }
    await expectBystanderServed(environment, provider);
    await eventually(() => {
      const endless = [...sent].filter(([, ends]) => ends.length === 0).map(([name]) => name);
      expect(endless).toEqual([]);
    });
    expect(Math.max(...[...sent.values()].flat())).toBeLessThan(MAX_SENT);
    await expectBystanderServed(environment, provider);
    await expectMemoryBounded(provider);
  }),
);

const MAPPINGS = 20;

test.concurrent(
  'a HANA Cloud host with tokens and lists that are large fills no cache',
  inFaultEnvironment(async (environment) => {
    const grant = (length: number) => ({
      access_token: 't'.repeat(length),
      token_type: 'bearer',
      expires_in: 30 * 365 * 86_400,
    });
    const largest = JSON.stringify(grant(16_000));
    const tooLarge = JSON.stringify(grant(2_000_000));
    const mapping = { platform: 'kubernetes', primaryID: 'x'.repeat(1_900_000), isDefault: false };
    const list = JSON.stringify({ mappings: [mapping] });
    let lists = 0;
    const tokens = { largest: 0, tooLarge: 0 };
    const host = await serverFor(environment, (request, response) => {
      if (!request.url?.endsWith('/oauth/token')) {
        lists++;
        begin(response).end(list);
        return;
      }
      // Each second client.
      const kind = tokens.largest <= tokens.tooLarge ? 'largest' : 'tooLarge';
      tokens[kind]++;
      begin(response).end(kind === 'largest' ? largest : tooLarge);
    });
    const folder = await mkdtemp(join(tmpdir(), 'hardening-'));
    environment.onStop(() => rm(folder, { recursive: true }));
    const trusted = join(folder, 'ca.pem');
    await writeFile(trusted, `${environment.simulator.caCertificate}\n${host.authority}`);
    const provider = await environment.run({
      args: ['--poll=1s'],
      env: { NODE_EXTRA_CA_CERTS: trusted },
    });
    await Promise.all(
      Array.from({ length: MAPPINGS }, async (_, n) => {
        const made = environment.instanceMapping();
        const uaa = { url: host.url, clientid: `c${n}`, clientsecret: 's' };
        await made.applySecret({ credentials: JSON.stringify({ baseurl: host.url, uaa }) });
        // Nothing must be written to a host that accepts everything.
        await made.create({ spec: { managementPolicies: ['Observe'] } });
      }),
    );
    await expectBystanderServed(environment, provider);
    await eventually(() => expect(lists).toBeGreaterThan(3 * MAPPINGS));
    expect(tokens.tooLarge).toBeGreaterThan(MAPPINGS / 4);
    await expectBystanderServed(environment, provider);
    await expectMemoryBounded(provider);
  }),
);
