/** A Postgres server on loopback with scripted faults: a primary that knows `select <number>`, of which the answer is the number. */
import { createServer, type Socket } from 'node:net';
import { type Loopback, listenOnLoopback } from '../../internal/framework/base/loopback.fixture.ts';

/** What happens to a query: writes its answer, or part of it, or nothing. */
export type QueryScript = (answer: Buffer, socket: Socket) => void;

/** @param scriptFor a number that is selected */
export function startScriptedPostgres(scriptFor: (selected: number) => QueryScript): Promise<Loopback> {
  const server = createServer((socket) => {
    let isStarted = false;
    let received = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (;;) {
        // The first message has no type.
        const header = isStarted ? 1 : 0;
        const length = received.length < header + 4 ? undefined : received.readInt32BE(header) + header;
        if (length === undefined || received.length < length) return;
        const text = received.subarray(header + 4, length - 1).toString();
        const type = String.fromCharCode(received[0] ?? 0);
        received = received.subarray(length);
        if (!isStarted) {
          isStarted = true;
          socket.write(Buffer.concat([message('R', int32(0)), ready]));
        } else if (type === 'X') socket.end();
        else if (text.includes('pg_is_in_recovery()'))
          socket.write(answerOf('f', { name: 'standby', oid: OID_OF_BOOLEAN }));
        else {
          const [, selected = ''] = /^select (\d+)$/.exec(text) ?? [];
          scriptFor(Number(selected))(answerOf(selected), socket);
        }
      }
    });
  });
  return listenOnLoopback(server);
}

const int16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const int32 = (value: number) => Buffer.from([0, 0, value >> 8, value & 255]);
const message = (type: string, ...parts: readonly Buffer[]) => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(content.length + 4), content]);
};
const ready = message('Z', Buffer.from('I'));
const OID_OF_TEXT = 25;
const OID_OF_BOOLEAN = 16;

/** One row with one column, and the end of the query. */
function answerOf(text: string, { name, oid } = { name: 'n', oid: OID_OF_TEXT }): Buffer {
  const anySize = Buffer.from([255, 255]);
  const column = Buffer.concat([
    Buffer.from(`${name}\0`),
    ...[int32(0), int16(0), int32(oid), anySize, Buffer.from([255, 255, 255, 255]), int16(0)],
  ]);
  return Buffer.concat([
    message('T', int16(1), column),
    message('D', int16(1), int32(text.length), Buffer.from(text)),
    message('C', Buffer.from('SELECT 1\0')),
    ready,
  ]);
}
