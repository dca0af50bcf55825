import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PostponedError } from '../../../framework/base/concurrency/fence.ts';
import { createDeps } from '../../../framework/base/deps.ts';
import { type Loopback, listenOnLoopback } from '../../../framework/base/loopback.fixture.ts';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../framework/base/time/clock.ts';
import { type ClusterDocument, createMothershipClient, type MothershipClient } from './mothership-client.ts';

let body: string;
let client: MothershipClient;
let requests = 0;
/** The answers to the next requests; default: 404. */
const pages: unknown[] = [];
const queries: URLSearchParams[] = [];
let server: Loopback;
const listener = createServer(({ url }, response) => {
  requests++;
  queries.push(new URL(url ?? '', 'http://mothership').searchParams);
  const page = pages.shift();
  response
    .writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json' })
    .end(page === undefined ? body : JSON.stringify(page));
});
beforeAll(async () => {
  server = await listenOnLoopback(listener);
  const { url } = server;
  const deps = createDeps({ clock: systemClock, log: nopLogger });
  client = createMothershipClient({ ...deps, url, allowPrivateEndpoints: true, env: {} });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

test.each<[string, (fence: () => void) => Promise<unknown>]>([
  ['PUT', (fence) => client.putCluster({} as ClusterDocument, { signal: signal(), fence })],
  ['DELETE', (fence) => client.deleteCluster('a', { signal: signal(), fence })],
])('a %s is sent only if its fence permits it', async (_, write) => {
  body = JSON.stringify({ error: 'cannot find cluster a' });
  const before = requests;
  const refuse = () => {
    throw new PostponedError('conflict', 'the object changed');
  };
  await expect(write(refuse)).rejects.toThrow('the object changed');
  expect(requests).toBe(before);
  await expect(write(() => undefined)).rejects.toMatchObject({ status: 404 });
  expect(requests).toBe(before + 1);
});

test('clusters are listed page by page, as many as are asked for', async () => {
  const clusters = Array.from({ length: 1000 }, (_, index) => ({ runtimeID: `r-${index}` }));
  pages.push(
    { clusters, continue: 'a' },
    { clusters, continue: 'b' },
    { clusters: clusters.slice(500), continue: 'c' },
  );
  queries.splice(0);
  const found = await client.listClusters({ statuses: ['error'], kymaVersions: [] }, 2500, signal());
  expect(found).toHaveLength(2500);
  expect(queries.map((query) => [query.get('limit'), query.get('continue'), query.getAll('status')])).toEqual(
    [
      ['1000', null, ['error']],
      ['1000', 'a', ['error']],
      ['500', 'b', ['error']],
    ],
  );
});

const signal = () => new AbortController().signal;
