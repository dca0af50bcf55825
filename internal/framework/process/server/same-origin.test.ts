import { request as send } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { nopLogger } from '../../base/telemetry/logger.ts';
import { systemClock } from '../../base/time/clock.ts';
import type { HttpServer } from './http-server.ts';
import { startLoopbackServers } from './loopback-servers.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(AbortSignal.abort())));
});

/** The status of a request with these headers; `PORT` in a value is that of the server. */
async function statusOf(method: 'GET' | 'POST', headers: Readonly<Record<string, string>>): Promise<number> {
  const servers = await startLoopbackServers(
    { clock: systemClock, log: nopLogger, maxBodyBytes: 100, listener: (_, response) => void response.end() },
    0,
  );
  open.push(...servers);
  const port = servers[0]?.address.split(':').at(-1) ?? '';
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, value.replace('PORT', port)]),
  );
  return new Promise((resolve, reject) => {
    const request = send({ host: '127.0.0.1', port, method, headers: sent }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    request.end(method === 'POST' ? '{}' : undefined);
  });
}

const json = { 'content-type': 'application/json' };

test.each([
  { who: 'a program', headers: {}, status: 200 },
  { who: 'curl with a body', headers: { 'content-type': 'application/x-www-form-urlencoded' }, status: 200 },
  { who: 'a program with a forwarded port', headers: { host: 'localhost:9999' }, status: 200 },
  { who: 'a program by IPv6', headers: { host: '[::1]:PORT' }, status: 200 },
  {
    who: 'the page itself',
    headers: {
      ...json,
      host: '127.0.0.1:PORT',
      origin: 'http://127.0.0.1:PORT',
      'sec-fetch-site': 'same-origin',
    },
    status: 200,
  },
  {
    who: 'a name that was resolved to loopback',
    headers: { ...json, host: 'evil.example:PORT' },
    status: 403,
  },
  {
    who: 'a name that begins as an address',
    headers: { ...json, host: '127.0.0.1.evil.example' },
    status: 403,
  },
  { who: 'a name that ends as the local one', headers: { ...json, host: 'evil-localhost' }, status: 403 },
  { who: 'another machine', headers: { ...json, host: '192.168.0.7:PORT' }, status: 403 },
  { who: 'a page of another origin', headers: { ...json, origin: 'https://evil.example' }, status: 403 },
  { who: 'a page without origin', headers: { ...json, origin: 'null' }, status: 403 },
  {
    who: 'a page of another port',
    headers: { ...json, host: 'localhost:8080', origin: 'http://localhost:3000' },
    status: 403,
  },
  { who: 'a page of another site', headers: { ...json, 'sec-fetch-site': 'cross-site' }, status: 403 },
  { who: 'a page of a subdomain', headers: { ...json, 'sec-fetch-site': 'same-site' }, status: 403 },
  {
    who: 'a form of a page',
    headers: { 'content-type': 'text/plain', 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },
    status: 415,
  },
  {
    who: 'a form of a page in an old browser',
    headers: { 'content-type': 'text/plain', 'user-agent': 'Mozilla/5.0 (X11) Gecko/20100101 Firefox/60.0' },
    status: 415,
  },
  {
    who: 'a form of a page in a browser that hides its name',
    headers: { 'content-type': 'text/plain', referer: 'https://evil.example/' },
    status: 415,
  },
  {
    who: 'a program with a text',
    headers: { 'content-type': 'text/plain', 'user-agent': 'curl/8' },
    status: 200,
  },
  {
    who: 'a type that only begins as JSON',
    headers: { 'content-type': 'application/jsonp', 'sec-fetch-site': 'same-origin' },
    status: 415,
  },
])('on loopback without login, a request of $who is answered with $status', async ({ headers, status }) => {
  expect(await statusOf('POST', headers)).toBe(status);
});

test('a link of another site leads to the page, and nothing else of that site is answered', async () => {
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  expect(await statusOf('GET', link)).toBe(200);
  expect(await statusOf('POST', link)).toBe(403);
  expect(await statusOf('GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
});
