import { once } from 'node:events';
import { Agent, createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAuthority } from './authority.ts';
import { httpJson } from './http-json.ts';

let server: Server;
let agent: Agent;
let connections = 0;
let url: string;
beforeAll(async () => {
  const authority = await createAuthority('http-json test');
  const { certificate, key } = await authority.issueServer(['127.0.0.1']);
  agent = new Agent({ keepAlive: true, ca: authority.certificate });
  server = createServer({ cert: certificate, key }, (request, response) => {
    response.end(JSON.stringify({ path: request.url }));
  });
  server.on('secureConnection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/path`;
});
afterAll(() => {
  agent.destroy();
  server.close();
});

const answer = { status: 200, body: { path: '/path' } };

test('requests of an agent share a connection', async () => {
  for (let n = 0; n < 3; n++) expect(await httpJson({ url, agent })).toEqual(answer);
  expect(connections).toBe(1);
});

test('a request on a kept connection that the server closes is sent on another one', async () => {
  await httpJson({ url, agent });
  // The client does not know yet that it is closed.
  server.closeAllConnections();
  expect(await httpJson({ url, agent })).toEqual(answer);
});

test('a server that is gone is reported', async () => {
  await httpJson({ url, agent });
  server.close();
  server.closeAllConnections();
  await expect(httpJson({ url, agent })).rejects.toThrow('ECONNREFUSED');
});
