import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createConnections } from './connections.ts';

/** A socket that says whether it was destroyed. */
function socketOf(remotePort: number) {
  const address = { remoteAddress: '127.0.0.1', remotePort, remoteFamily: 'IPv4' };
  const socket = Object.assign(new EventEmitter(), address, { destroyed: false, destroy: () => undefined });
  socket.destroy = () => void Object.assign(socket, { destroyed: true });
  return socket;
}

test('a connection that has ended before its response takes no place of others', async () => {
  const limits = { maxConnections: 1, maxBodyBytes: 10, maxBodiesBytes: 100 };
  const connections = createConnections(limits, createFakeClock());
  const [gone, idle, next] = [socketOf(1), socketOf(2), socketOf(3)];
  const opened = (socket: EventEmitter) => connections.opened(socket as Socket);
  opened(gone);
  const request = Object.assign(Readable.from([Buffer.from('a')]), {
    socket: gone,
    headers: { 'content-length': '1' },
  });
  const response = new EventEmitter();
  await connections.receive(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  gone.emit('close');
  response.emit('close');
  opened(idle);
  expect([gone, idle].map(({ destroyed }) => destroyed)).toEqual([false, false]);
  opened(next);
  expect([gone, idle, next].map(({ destroyed }) => destroyed)).toEqual([false, true, false]);
});
