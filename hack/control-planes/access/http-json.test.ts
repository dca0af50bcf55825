import { Agent, createServer } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Loopback, listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { createAuthority } from './authority.ts';
import { httpJson } from './http-json.ts';

let server: Loopback;
let agent: Agent;
let connections = 0;
let url: string;
beforeAll(async () => {
  const authority = await createAuthority('http-json test');
  const { certificate, key } = await authority.issueServer(['127.0.0.1']);
  agent = new Agent({ keepAlive: true, ca: authority.certificate });
  const listener = createServer({ cert: certificate, key }, (request, response) => {
    response.end(JSON.stringify({ path: request.url }));
  });
  server = await listenOnLoopback(listener.on('secureConnection', () => connections++));
  url = `${server.url}/path`;
});
afterAll(() => {
  agent.destroy();
  return server.close();
});

const answer = { status: 200, body: { path: '/path' } };

test('requests of an agent share a connection', async () => {
  for (let n = 0; n < 3; n++) expect(await httpJson({ url, agent })).toEqual(answer);
  expect(connections).toBe(1);
});

test('a request on a kept connection that the server closes is sent on another one', async () => {
  await httpJson({ url, agent });
  // The client does not know yet that it is closed.
  server.cut();
  expect(await httpJson({ url, agent })).toEqual(answer);
});

test('a server that is gone is reported', async () => {
  await httpJson({ url, agent });
  await server.close();
  await expect(httpJson({ url, agent })).rejects.toThrow('ECONNREFUSED');
});
