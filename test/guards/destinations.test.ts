import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { type Loopback, listenOnLoopback } from '../../internal/framework/base/loopback.fixture.ts';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import {
  type HttpRequest,
  publishConnection,
  sendRequest,
} from '../../internal/framework/http/transport/send-request.ts';
import { createMemoryClient } from '../../internal/framework/kube/fakes/memory-client.ts';
import { configMaps, secrets } from '../../internal/framework/kube/object/resource-type.ts';
import { violationsOfTest } from './guards.ts';

const TOKEN = 'correct-horse-battery';
let server: Loopback;
const dispatcher = new Agent();
let url: URL;
beforeAll(async () => {
  server = await listenOnLoopback(createServer((_, response) => response.end()));
  url = new URL(server.url);
});
afterAll(async () => {
  await dispatcher.close();
  await server.close();
});

/** In memory, in the namespace of a tenant. */
function store(data: Readonly<Record<string, string>>, config: Readonly<Record<string, string>> = {}): void {
  const client = createMemoryClient({ clock: createFakeClock() });
  const encoded = Object.entries(data).map(([key, text]) => [key, btoa(text)]);
  const metadata = { namespace: 'shop', name: 'access' };
  client.seed(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(encoded) });
  const other = { ...metadata, name: 'config' };
  client.seed(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: other, data: config });
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const requests: readonly [string, Pick<HttpRequest, 'headers' | 'body'>][] = [
  ['a token', { headers: { authorization: `Bearer ${TOKEN}` } }],
  ['a password', { headers: { authorization: `Basic ${btoa(`me:${TOKEN}`)}` } }],
  ['a client secret', { headers: form, body: `grant_type=client_credentials&client_secret=${TOKEN}` }],
];

/** By a timer, so that the stack contains no test. */
async function send(request: Pick<HttpRequest, 'headers' | 'body'>): Promise<void> {
  const { signal } = new AbortController();
  setTimeout(sendRequest, 0, dispatcher, { method: 'POST', url, ...request }, 1000, signal);
  await sleep(5);
}

const elsewhere = {
  guard: 'taint',
  where: 'unknown',
  what: expect.stringMatching(/ of a Secret goes to another host$/),
};

test.each(requests)('%s that goes to a host which nothing names beside it is found', async (_, request) => {
  store({ token: TOKEN, url: 'https://api.example.org' }, { url: url.href });
  await send(request);
  expect(violationsOfTest()).toEqual([expect.objectContaining(elsewhere)]);
});

test.each(requests)('%s may go to a host of its Secret', async (_, request) => {
  store({ token: TOKEN, url: url.href });
  await send(request);
  expect(violationsOfTest()).toEqual([]);
});

test.each(requests)('%s may go to a host of what refers to its Secret', async (_, request) => {
  store({ token: TOKEN }, { url: url.href, secretName: 'access' });
  await send(request);
  expect(violationsOfTest()).toEqual([]);
});

test('a client certificate of a Secret is shown to hosts of its Secret alone', async () => {
  store({ key: TOKEN, url: 'https://api.example.org' });
  setTimeout(publishConnection, 0, 'https://api.example.org', TOKEN);
  setTimeout(publishConnection, 0, 'https://other.example.org', TOKEN);
  await sleep(5);
  expect(violationsOfTest()).toEqual([expect.objectContaining(elsewhere)]);
});

test('what no Secret has is not judged', async () => {
  for (const [, request] of requests) await send(request);
  expect(violationsOfTest()).toEqual([]);
});
