/**
 * A proxy in front of Postgres that counts what clients have it execute: messages Query and Execute of its protocol
 * (PostgreSQL documentation, "Message Formats").
 */
import { connect, createServer } from 'node:net';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';

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
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.on('close', () => upstream.destroy());
    upstream.on('error', () => upstream.destroy());
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
  const { port, close } = await listenOnLoopback(server);
  return {
    url: Object.assign(new URL(databaseUrl), { port: String(port) }).href,
    count: () => statements,
    close,
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
