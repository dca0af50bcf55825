import { afterEach, describe, expect, test } from '@jest/globals';
import { type HealthCheck, healthPage } from '../manager/health.ts';
import { type HttpEndpoint, startHttpEndpoint, textPage } from './http-endpoint.ts';
import { isOff } from './listen-address.ts';

const open: HttpEndpoint[] = [];
afterEach(async () => {
  for (const endpoint of open.splice(0)) await endpoint.close();
});
async function start(address = '127.0.0.1:0') {
  const endpoint = await startHttpEndpoint(address, {
    '/hello': () => textPage(200, 'hello\n'),
    '/parts/*': (part) => textPage(200, `part ${part}\n`),
    '/broken': () => {
      throw new Error('credential in here');
    },
  });
  open.push(endpoint);
  return endpoint;
}

describe('HTTP endpoint', () => {
  test('pages are served by path, whatever the query', async () => {
    const { address } = await start();
    const response = await fetch(`http://${address}/hello?verbose`);
    expect([response.status, await response.text()]).toEqual([200, 'hello\n']);
  });

  test('a page gets the rest of its path', async () => {
    const { address } = await start();
    for (const [path, part] of [
      ['/parts/a', 'a'],
      ['/parts/managed/widget.example.org?verbose', 'managed/widget.example.org'],
      ['/parts/managed%2Fwidget', 'managed/widget'],
    ]) {
      expect(await (await fetch(`http://${address}${path}`)).text()).toBe(`part ${part}\n`);
    }
    expect((await fetch(`http://${address}/parts`)).status).toBe(404);
    expect((await fetch(`http://${address}/part%`)).status).toBe(404);
  });

  test('other paths, even those of every object, are not found', async () => {
    const { address } = await start();
    for (const path of ['/', '/hello/', '/constructor', '/__proto__']) {
      expect((await fetch(`http://${address}${path}`)).status).toBe(404);
    }
  });

  test('nothing but reading is allowed', async () => {
    const { address } = await start();
    expect((await fetch(`http://${address}/hello`, { method: 'POST' })).status).toBe(405);
  });

  test('a page that fails shows no cause', async () => {
    const { address } = await start();
    const response = await fetch(`http://${address}/broken`);
    expect([response.status, await response.text()]).toEqual([500, 'internal error\n']);
  });

  test('a port that is taken is an error with the address in it', async () => {
    const { address } = await start();
    await expect(start(address)).rejects.toThrow(`cannot listen on ${address}: `);
  });

  test.each(['8080', 'localhost', ':x', ':99999', 'a:b:1'])('%s is no address', async (address) => {
    await expect(start(address)).rejects.toThrow('not of the form host:port or :port');
  });

  test('an IPv6 host stands in brackets', async () => {
    const endpoint = await start('[::1]:0').catch(() => undefined);
    if (endpoint !== undefined) expect(endpoint.address).toMatch(/^\[::1\]:\d+$/);
  });

  test('0 and nothing turn an endpoint off', () => {
    expect(['0', '', ':8080'].map(isOff)).toEqual([true, true, false]);
  });
});

describe('health page', () => {
  test('every check is shown, and one that fails decides', async () => {
    const checks = new Map<string, HealthCheck>([
      ['ping', () => undefined],
      ['cache', () => Promise.reject(new Error('not synced'))],
    ]);
    expect(await healthPage('readyz', checks)).toMatchObject({
      status: 500,
      body: '[+]ping ok\n[-]cache failed: not synced\nreadyz check failed\n',
    });
    checks.delete('cache');
    expect(await healthPage('readyz', checks)).toMatchObject({ status: 200 });
  });
});
