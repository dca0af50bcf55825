import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { freePort } from './free-port.ts';

test('a port in use is skipped', async () => {
  const first = await freePort();
  const listener = createServer().listen(first, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const draws = [(port - 20_000 + 0.5) / 12_000];

  const found = await freePort(() => draws.shift() ?? Math.random());

  listener.close();
  expect(draws).toEqual([]);
  expect(found).not.toBe(port);
});

test("ports are outside of the system's ephemeral range", async () => {
  for (const draw of [0, 0.999_999]) {
    const ports = [draw];
    const port = await freePort(() => ports.shift() ?? Math.random());
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(32_000);
  }
});
