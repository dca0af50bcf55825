import { request as send } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { systemClock } from '../../base/time/clock.ts';
import type { HttpServer } from './http-server.ts';
import { startLoopbackServers } from './loopback-servers.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(AbortSignal.abort())));
});

/** The status of a request with these headers; `PORT` in a value is that of the server. */
async function statusOf(
  method: 'GET' | 'POST',
  headers: Readonly<Record<string, string>>,
  body = '{}',
): Promise<number> {
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
    request.end(method === 'POST' ? body : undefined);
  });
}

const json = { 'content-type': 'application/json' };

test.each<{ who: string; headers: Readonly<Record<string, string>>; body?: string; status: number }>([
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
  {
    who: 'a page of an old browser without a body',
    headers: { 'user-agent': 'Mozilla/5.0 (X11) Gecko/20100101 Firefox/60.0' },
    body: '',
    status: 415,
  },
  {
    who: 'a form without fields of an old browser',
    headers: { 'content-type': 'application/x-www-form-urlencoded', referer: 'https://evil.example/' },
    body: '',
    status: 415,
  },
  {
    who: 'the page itself without a body',
    headers: {
      host: 'localhost:PORT',
      origin: 'http://localhost:PORT',
      'sec-fetch-site': 'same-origin',
      'user-agent': 'Mozilla/5.0 (X11) Gecko/20100101 Firefox/140.0',
    },
    body: '',
    status: 200,
  },
  { who: 'a program without a body', headers: { 'user-agent': 'curl/8' }, body: '', status: 200 },
  { who: 'a name in capitals', headers: { host: 'LOCALHOST:PORT' }, status: 200 },
  {
    who: 'the page itself in capitals',
    headers: { ...json, host: 'LocalHost:PORT', origin: 'http://localhost:PORT' },
    status: 200,
  },
  { who: 'a name with a dot at its end', headers: { host: 'evil.example.:PORT' }, status: 403 },
  { who: 'a local name with a dot and more', headers: { host: 'localhost.evil.example' }, status: 403 },
  { who: 'an address with a dot and more', headers: { host: '127.0.0.1.nip.io:PORT' }, status: 403 },
  { who: 'the address of all interfaces', headers: { host: '0.0.0.0:PORT' }, status: 403 },
  { who: 'the address of all interfaces by IPv6', headers: { host: '[::]:PORT' }, status: 403 },
  { who: 'a private address in IPv6', headers: { host: '[::ffff:192.168.0.7]:PORT' }, status: 403 },
  { who: 'an address with a zone', headers: { host: '[fe80::1%25lo]:PORT' }, status: 403 },
  { who: 'an address as one number', headers: { host: '2130706433:PORT' }, status: 403 },
  { who: 'a port that is none', headers: { host: 'localhost:80@evil.example' }, status: 403 },
  { who: 'two hosts', headers: { host: 'localhost, evil.example' }, status: 403 },
  { who: 'a host of a blank', headers: { host: ' ' }, status: 403 },
  {
    who: 'an origin with a user',
    headers: { ...json, host: 'localhost:PORT', origin: 'http://localhost:PORT@evil.example' },
    status: 403,
  },
  {
    who: 'an origin of another loopback name',
    headers: { ...json, host: 'localhost:PORT', origin: 'http://127.0.0.1:PORT' },
    status: 403,
  },
  { who: 'an empty origin', headers: { ...json, origin: '' }, status: 403 },
  { who: 'an extension of the browser', headers: { ...json, origin: 'chrome-extension://abc' }, status: 403 },
  { who: 'a file', headers: { ...json, origin: 'file://' }, status: 403 },
  {
    who: 'a site that no browser sends',
    headers: { ...json, 'sec-fetch-site': 'SAME-ORIGIN, none' },
    status: 403,
  },
  {
    who: 'a form of a page with files',
    headers: { 'content-type': 'multipart/form-data; boundary=application/json', 'sec-fetch-site': 'none' },
    status: 415,
  },
  {
    who: 'a text that names JSON in a parameter',
    headers: { 'content-type': 'text/plain; a=application/json', origin: 'http://127.0.0.1:PORT' },
    status: 415,
  },
  {
    who: 'JSON with a character set',
    headers: { 'content-type': 'Application/JSON ; charset=utf-8', origin: 'http://127.0.0.1:PORT' },
    status: 200,
  },
  { who: 'a body without a type', headers: { origin: 'http://127.0.0.1:PORT' }, status: 415 },
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
])(
  'on loopback without login, a request of $who is answered with $status',
  async ({ headers, body, status }) => {
    expect(await statusOf('POST', headers, body)).toBe(status);
  },
);

test('a link of another site leads to the page, and nothing else of that site is answered', async () => {
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  expect(await statusOf('GET', link)).toBe(200);
  expect(await statusOf('POST', link)).toBe(403);
  expect(await statusOf('GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
});
