/**
 * A proxy in front of Postgres that counts what clients have it execute: messages Query and Execute of its protocol
 * (PostgreSQL documentation, "Message Formats").
 */

import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface StatementCounter {
  /** The URL of the database through the proxy. */
  readonly url: string;
  count(): number;
  close(): Promise<void>;
}

const QUERY = 'Q'.charCodeAt(0);
const EXECUTE = 'E'.charCodeAt(0);
/** Type and length. */
const HEADER_BYTES = 5;

export async function countStatements(databaseUrl: string): Promise<StatementCounter> {
  const target = new URL(databaseUrl);
  let statements = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => sockets.delete(socket));
    }
    const read = messageReader((type) => {
      if (type === QUERY || type === EXECUTE) statements++;
    });
    client.on('data', (chunk: Buffer) => {
      read(chunk);
      upstream.write(chunk);
    });
    upstream.pipe(client);
    client.on('end', () => upstream.end());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    count: () => statements,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Calls back with the type of each message but the first, which has none. */
function messageReader(onMessage: (type: number) => void): (chunk: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0);
  let isFirst = true;
  return (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (;;) {
      const header = isFirst ? HEADER_BYTES - 1 : HEADER_BYTES;
      if (pending.length < header) return;
      const length = pending.readUInt32BE(header - 4) + header - 4;
      if (pending.length < length) return;
      if (!isFirst) onMessage(pending[0] ?? 0);
      isFirst = false;
      pending = pending.subarray(length);
    }
  };
}
