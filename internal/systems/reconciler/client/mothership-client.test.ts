import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PostponedError } from '../../../framework/base/concurrency/fence.ts';
import { createDeps } from '../../../framework/base/deps.ts';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../framework/base/time/clock.ts';
import { type ClusterDocument, createMothershipClient, type MothershipClient } from './mothership-client.ts';

let body: string;
let client: MothershipClient;
let requests = 0;
/** The answers to the next requests; default: 404. */
const pages: unknown[] = [];
const queries: URLSearchParams[] = [];
const server = createServer(({ url }, response) => {
  requests++;
  queries.push(new URL(url ?? '', 'http://mothership').searchParams);
  const page = pages.shift();
  response
    .writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/json' })
    .end(page === undefined ? body : JSON.stringify(page));
});
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const deps = createDeps({ clock: systemClock, log: nopLogger });
  client = createMothershipClient({ ...deps, url, allowPrivateEndpoints: true, env: {} });
});
afterAll(async () => {
  await client.close();
  await new Promise((done) => server.close(done));
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
