import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openConnections } from './open-connections.ts';

const withProc = existsSync('/proc/self/fd') ? test : test.skip;
let server: Server;
let port: number;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = address !== null && typeof address === 'object' ? address.port : 0;
});
afterEach(() => {
  server.close();
});

withProc('connections to the port count while they stand, the listening socket does not', async () => {
  expect(await openConnections(process.pid, port)).toBe(0);
  const accepted = once(server, 'connection');
  const client = connect(port, '127.0.0.1');
  await Promise.all([once(client, 'connect'), accepted]);
  expect(await openConnections(process.pid, port)).toBe(1);
  const closed = once(client, 'close');
  client.destroy();
  await closed;
  expect(await openConnections(process.pid, port)).toBe(0);
});

test('of a process that does not exist, nothing is known', async () => {
  // Above the largest process ID of Linux.
  expect(await openConnections(2 ** 23, port)).toBeUndefined();
});
