/** The simulated Gardener over TLS, with the client that the program has. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { shoots } from '../../../apis/gardener/kinds.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import { createKubeClient, type RestClient } from '../../../internal/framework/kube/client/rest-client.ts';
import type { ClusterConfig } from '../../../internal/framework/kube/config/cluster-config.ts';
import { parseUntrustedKubeconfig } from '../../../internal/framework/kube/config/untrusted-kubeconfig.ts';
import { isNotFound, isUnauthorized, isUnreachable } from '../../../internal/framework/kube/errors/errors.ts';
import { type GardenerServer, serveGardener } from '../../simulators/gardener/server/gardener-server.ts';
import { refusal } from '../../simulators/gardener/server/server-faults.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../simulators/gardener/simulated-gardener.ts';
import { contractCases } from './cases.ts';
import { shootOf, statusOf, uniqueShootName } from './contract-case.ts';

let gardener: SimulatedGardener;
let server: GardenerServer;
let client: RestClient;

const connect = (changes: Partial<ClusterConfig> = {}) =>
  createKubeClient({
    config: { ...parseUntrustedKubeconfig(server.kubeconfig), ...changes },
    clusterName: 'cluster gardener',
    clock: systemClock,
    callTimeoutMs: 2000,
  });

beforeAll(async () => {
  gardener = await startSimulatedGardener({
    clock: systemClock,
    stageMs: Number.POSITIVE_INFINITY,
    catalog: true,
  });
  server = await serveGardener(gardener);
  client = connect();
});
afterEach(() => server.reset());
afterAll(async () => {
  await client?.close();
  await server?.stop();
  await gardener?.stop();
});

const create = () => client.create(shoots, shootOf(gardener, uniqueShootName()));

describe('the cases of the contract', () => {
  test.each(contractCases)('$title', ({ run }) => run({ ...gardener, client }));
});

test('it lists in pages, and by namespace', async () => {
  for (let count = 0; count < 3; count++) await create();
  const first = await client.list(shoots, { namespace: gardener.namespace, limit: 2 });
  expect(first.items).toHaveLength(2);
  const rest = await client.list(shoots, {
    namespace: gardener.namespace,
    limit: 500,
    continue: first.continue ?? '',
  });
  expect(rest.items.length).toBeGreaterThan(0);
  expect((await client.list(shoots, { namespace: 'garden-other' })).items).toEqual([]);
});

test('it says what it serves', async () => {
  const served = (await client.discover(shoots)).map(({ name }) => name);
  expect(served).toEqual(expect.arrayContaining(['shoots', 'shoots/adminkubeconfig']));
  const other = { ...shoots, version: 'v2' } as never;
  expect(isNotFound(await client.discover(other).catch((error: unknown) => error))).toBe(true);
});

test('a client without its certificate is not let in', async () => {
  const { ca = '' } = await parseUntrustedKubeconfig(server.kubeconfig).credentials();
  const stranger = connect({ credentials: async () => ({ ca, headers: { authorization: 'Bearer x' } }) });
  try {
    const answer = await stranger.list(shoots).catch((error: unknown) => error);
    expect(isUnauthorized(answer)).toBe(true);
  } finally {
    await stranger.close();
  }
});

test('a refusal is that of an API server, for as many requests as the rule says', async () => {
  const fault = server.faults.add({
    on: { route: 'shoots', method: 'POST', first: 1 },
    do: refusal(403, 'Forbidden'),
  });
  expect(await statusOf(create())).toBe(403);
  await create();
  expect(fault.hits()).toBe(1);
});

test('an answer can get lost after the request took effect', async () => {
  server.faults.add({ on: { method: 'POST', first: 1 }, do: { kind: 'reset', when: 'after' } });
  const shoot = shootOf(gardener, uniqueShootName());
  const answer = await client.create(shoots, shoot).catch((error: unknown) => error);
  expect(isUnreachable(answer)).toBe(true);
  expect(
    gardener.client.peek(shoots, { namespace: gardener.namespace, name: shoot.metadata.name }),
  ).toBeDefined();
});

test('requests are recorded by route, without bodies', async () => {
  const { metadata } = await create();
  await client.get(shoots, { namespace: gardener.namespace, name: metadata.name });
  const records = server.requests({ route: 'shoots' });
  expect(records.map(({ method, status }) => `${method} ${status}`)).toEqual(['POST 201', 'GET 200']);
  expect(records.every(({ body }) => body === undefined)).toBe(true);
});
