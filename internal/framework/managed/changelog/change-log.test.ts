import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  type ChangeLogSidecar,
  startChangeLogSidecar,
} from '../../../../test/simulators/change-log/sidecar.ts';
import { systemClock } from '../../base/time/clock.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { type ChangeLog, type ChangeLogOptions, createChangeLog } from './change-log.ts';

let folder: string;
let socketPath: string;
const ends: (() => unknown)[] = [];
const { signal } = new AbortController();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'changes-'));
  socketPath = join(folder, 's.sock');
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await rm(folder, { recursive: true });
});

async function sidecar(): Promise<ChangeLogSidecar> {
  const started = await startChangeLogSidecar(socketPath);
  ends.push(started.stop);
  return started;
}
function changeLog(options: Partial<ChangeLogOptions> = {}): ChangeLog {
  const created = createChangeLog({
    provider: 'provider-kyma:v1.2.3',
    socketPath,
    clock: systemClock,
    ...options,
  });
  ends.push(created.close);
  return created;
}

const widget = {
  apiVersion: 'example.org/v1',
  kind: 'Widget',
  metadata: { name: 'w', annotations: { 'crossplane.io/external-name': 'w-1' }, generation: 42 },
  spec: { size: 1.5, on: false, tags: ['a', 'ü', ''], deep: { none: null, list: [[1, -2], {}] } },
};
const entry = {
  at: Date.parse('2024-01-01T00:00:01.250Z'),
  snapshot: widget,
  externalName: 'w-1',
  operation: 'update',
  additionalDetails: {},
} as const;

test('[127] an entry has all its fields', async () => {
  const { received } = await sidecar();
  await changeLog().send(
    { ...entry, errorMessage: 'boom', additionalDetails: { request: 'r-1', empty: '' } },
    signal,
  );
  expect(received).toEqual([
    {
      timestamp: { seconds: '1704067201', nanos: 250_000_000 },
      provider: 'provider-kyma:v1.2.3',
      api_version: 'example.org/v1',
      kind: 'Widget',
      name: 'w',
      external_name: 'w-1',
      operation: 'OPERATION_TYPE_UPDATE',
      snapshot: widget,
      error_message: 'boom',
      additional_details: { request: 'r-1', empty: '' },
    },
  ]);
});

test('an entry of a success has no error message, and what is not known yet is left out', async () => {
  const { received } = await sidecar();
  await changeLog().send({ ...entry, externalName: undefined }, signal);
  expect(received).toHaveLength(1);
  expect(received[0]).not.toHaveProperty('error_message');
  expect(received[0]?.external_name ?? '').toBe('');
});

test('[128] an error of the sidecar is returned with what it belongs to', async () => {
  const { refuse, received } = await sidecar();
  const log = changeLog();
  refuse({ code: 'RESOURCE_EXHAUSTED', details: 'the disk is full: 100 %' });
  await expect(log.send(entry, signal)).rejects.toThrow(
    'cannot send change log entry: RESOURCE_EXHAUSTED: the disk is full: 100 %',
  );
  refuse(undefined);
  await log.send(entry, signal);
  expect(received).toHaveLength(1);
});

test('a sidecar that comes later is waited for, and one that is replaced is found again', async () => {
  const log = changeLog();
  const early = log.send(entry, signal);
  const first = await sidecar();
  await early;
  expect(first.received).toHaveLength(1);
  await first.stop();
  const second = await sidecar();
  await log.send(entry, signal);
  expect(second.received).toHaveLength(1);
});

test('long entries and many at once arrive whole', async () => {
  const { received } = await sidecar();
  const log = changeLog();
  const long = 'x'.repeat(200_000);
  const sends = Array.from({ length: 20 }, (_, index) =>
    log.send(
      { ...entry, snapshot: Object.assign({}, widget, { metadata: { name: `w-${index}` }, long }) },
      signal,
    ),
  );
  await Promise.all(sends);
  expect(new Set(received.map(({ name }) => name)).size).toBe(20);
  expect(received.every(({ snapshot }) => JSON.stringify(snapshot).length > 200_000)).toBe(true);
});

test('a sidecar that does not answer is given up after 10 s', async () => {
  const accepted = Promise.withResolvers<void>();
  const deaf = createServer((socket) => {
    ends.push(() => socket.destroy());
    accepted.resolve();
  });
  await new Promise<void>((resolve) => deaf.listen(socketPath, resolve));
  ends.push(() => deaf.close());
  const clock = createFakeClock();
  const sent = changeLog({ clock }).send(entry, signal);
  sent.catch(() => undefined);
  await accepted.promise;
  await clock.advance(10_000);
  await expect(sent).rejects.toThrow('cannot send change log entry: timed out after 10 s: the change log at');
});

test('no sidecar at all is given up when the reconcile ends', async () => {
  const reconcile = new AbortController();
  const sent = changeLog().send(entry, reconcile.signal);
  sent.catch(() => undefined);
  reconcile.abort(new Error('timed out after 90 s: reconcile'));
  await expect(sent).rejects.toThrow('cannot send change log entry: timed out after 90 s: reconcile');
});

test.each([
  ['text/html', '<html>', 'a web page'],
  ['application/grpc', '', 'an answer without a gRPC status'],
])('a server that answers with %s %j is an error, not a success: %s', async (type, body) => {
  const { createServer: createHttp2Server } = await import('node:http2');
  const web = createHttp2Server((_request, response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  });
  await new Promise<void>((resolve) => web.listen(socketPath, () => resolve()));
  ends.push(() => web.close());
  await expect(changeLog().send(entry, signal)).rejects.toThrow(/^cannot send change log entry: [A-Z_]+: ./);
});
