/**
 * The REST API, for tests of the provider: `node greeter.ts` listens on port 8000 and accepts the token `s3cret`. It stores
 * everything in memory.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Greeter {
  readonly url: string;
  /** The stored texts, by id. */
  readonly texts: Map<string, string>;
  /** If set, every response has this HTTP status. */
  failure: number | undefined;
  close(): void;
}

/** @param port 0: any free port */
export async function startGreeter(port: number): Promise<Greeter> {
  const texts = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const id = decodeURIComponent(request.url?.split('/').at(-1) ?? '');
    const body = (await request.toArray()).join('');
    if (request.headers.authorization !== 'Bearer s3cret') return response.writeHead(401).end();
    if (greeter.failure !== undefined) return response.writeHead(greeter.failure).end();
    if (request.method === 'PUT') texts.set(id, JSON.parse(body).text);
    const text = texts.get(id);
    if (request.method === 'DELETE') texts.delete(id);
    return response.writeHead(text === undefined ? 404 : 200).end(JSON.stringify({ text }));
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  const greeter: Greeter = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts,
    failure: undefined,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return greeter;
}

if (import.meta.main) {
  const { url } = await startGreeter(8000);
  process.stdout.write(`listening on ${url}\n`);
}
