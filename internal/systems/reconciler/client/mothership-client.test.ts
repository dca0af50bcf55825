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
const server = createServer((_, response) => {
  requests++;
  response.writeHead(404, { 'content-type': 'application/json' }).end(body);
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

const signal = () => new AbortController().signal;
