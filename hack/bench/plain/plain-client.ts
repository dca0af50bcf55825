/**
 * HTTP and JSON and nothing else: undici's pool, one function for a call and one for a watch. No retry, no typed
 * error, no metric, no deadline. What the provider does beyond this is what it costs more than this.
 */
import { Pool } from 'undici';

/** A server and credentials for it; plain data, for another process. PEM texts. */
export interface Endpoint {
  /** `https://host:port` */
  readonly origin: string;
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface PlainRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, or as it is where it is a string. */
  readonly body?: unknown;
}

export interface WatchLine<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

export interface PlainClient {
  /** The parsed body. Throws for any status but a success. */
  send<T>(request: PlainRequest): Promise<T>;
  /**
   * Calls back for each line until the signal is aborted, and then resolves. A watch that the server ends is opened
   * again, and starts with a new list.
   */
  watch<T>(path: string, onLine: (line: WatchLine<T>) => void, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Servers of the bench share a machine, and may be slow. */
const CONNECT_TIMEOUT_MS = 60_000;

/** @param connections calls in flight at most */
export function createPlainClient({ origin, ...tls }: Endpoint, connections: number): PlainClient {
  const open = (limit: number | null) =>
    new Pool(origin, {
      ...{ connections: limit, allowH2: false, headersTimeout: 0, bodyTimeout: 0 },
      connect: { ...tls, timeout: CONNECT_TIMEOUT_MS },
    });
  const calls = open(connections);
  const watches = open(null);
  return {
    send: async <T>({ method = 'GET', path, headers, body }: PlainRequest): Promise<T> => {
      const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const answer = await calls.request({
        method,
        path,
        headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
        body: text ?? null,
      });
      const content = await answer.body.text();
      if (answer.statusCode >= 300)
        throw new Error(`${method} ${path}: ${answer.statusCode} ${content.slice(0, 300)}`);
      return (content === '' ? undefined : JSON.parse(content)) as T;
    },
    watch: async (path, onLine, signal = new AbortController().signal) => {
      // A server ends a watch after a while, or when its client reads too slowly.
      while (!signal.aborted) {
        try {
          const { statusCode, body } = await watches.request({ method: 'GET', path, signal });
          if (statusCode !== 200) throw new Error(`watch ${path}: ${statusCode} ${await body.text()}`);
          for await (const line of linesOf(body.setEncoding('utf8'))) onLine(JSON.parse(line));
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      }
    },
    close: async () => {
      await Promise.all([calls.destroy(), watches.destroy()]);
    },
  };
}

/** Complete lines. What follows the last newline is dropped. */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
