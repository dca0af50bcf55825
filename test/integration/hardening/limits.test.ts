/** What is too large, too deep, too long or too often: a limit holds it, and others are served. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { valueAt } from '../../../internal/base/json/json-field.ts';
import { instanceMappingTypes } from '../../../internal/controllers/inventory/instancemapping/resource.ts';
import { kymaInstanceMappingTypes } from '../../../internal/controllers/inventory/kymainstancemapping/resource.ts';
import { groupResource } from '../../../internal/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { type FaultEnvironment, inFaultEnvironment } from '../faults/fault-environment.ts';
import { expectBystanderServed, expectMemoryBounded } from './bystander.ts';
import { forwardTo, startTlsServer, type TlsHandler, type TlsServer } from './tls-server.ts';

const mappingKinds = [instanceMappingTypes, kymaInstanceMappingTypes]
  .flatMap(({ cluster, namespaced }) => [cluster, namespaced])
  .map(groupResource)
  .toSorted();

async function serverFor(environment: FaultEnvironment, handler: TlsHandler): Promise<TlsServer> {
  const server = await startTlsServer(handler);
  environment.onStop(server.close);
  return server;
}

test.concurrent(
  'a maintenance page with a Retry-After of a day closes a watch for a minute',
  inFaultEnvironment(async (environment) => {
    const { kubeconfig, token } = environment.account;
    const { server } = environment.planes.management;
    const authority = valueAt(parse(kubeconfig), ['clusters', '0', 'cluster', 'certificate-authority-data']);
    const forward = forwardTo(server, Buffer.from(String(authority), 'base64').toString());
    const gateway = await serverFor(environment, (request, response) => {
      if (!/\/(kyma)?instancemappings\?/.test(request.url ?? '')) return forward(request, response);
      response
        .writeHead(503, { 'content-type': 'text/html', 'retry-after': '86400' })
        .end('<h1>Maintenance</h1>');
    });
    const provider = await environment.run({ kubeconfig: gateway.kubeconfig(token) });
    // The informer's own test holds that it tries again then.
    await eventually(() => {
      const failed = provider.logged('the watch failed');
      expect(failed.map(({ resource }) => resource).toSorted()).toEqual(mappingKinds);
      for (const { retryInMs } of failed) expect(retryInMs).toBe(60_000);
    });
  }),
);

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

test.concurrent(
  'kubeconfigs that are slow to parse are refused, and others are served meanwhile',
  inFaultEnvironment(async (environment) => {
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
  }),
);

const MAPPINGS = 20;
const MANY = 64 * 1024;

/** Writes until the client disconnects: up to 2 MiB a second, since the attacker shares this machine. */
function flood(response: ServerResponse, next: () => string, ended: (bytes: number) => void): void {
  let bytes = 0;
  const timer = setInterval(() => {
    if (response.destroyed || response.writableNeedDrain) return;
    const text = next();
    bytes += text.length;
    response.write(text);
  }, 30);
  response.on('close', () => {
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
    begin(response);
    response.socket?.setNoDelay(true);
    const chunk = () => {
      for (let n = 1; n < 2000; n++) response.write('x');
      return 'x';
    };
    flood(response, chunk, (chunks) => ended(2000 * chunks));
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

test.concurrent(
  '--poll=0s is refused before anything is reconciled',
  inFaultEnvironment(async (environment) => {
    const refused = await environment.run({ args: ['--poll=0s'] }).catch((error: unknown) => String(error));
    expect(refused).toContain('it ended with 2');
    expect(refused).toContain("argument '0s' is invalid. want a duration such as 90s or 1m30s, 1s to 24h.");
  }),
);
