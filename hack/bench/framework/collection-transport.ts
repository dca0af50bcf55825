import { collectionPath } from '../../../internal/kube/client/resource-path.ts';
import { apiVersionOf } from '../../../internal/kube/object/resource-type.ts';
import type {
  OpenResponse,
  Transport,
  TransportResponse,
} from '../../../internal/kube/transport/transport.ts';
import { samples, settledSample } from './sample-kind.ts';

const HOST = 'bench.example.org';

/** An API server with one collection, at the place where the network would begin: bytes in, bytes out. */
export interface CollectionTransport extends Transport {
  /**
   * Changes the status of every object, as another client would: one watch event each, the last of them at this
   * version.
   */
  prepareTouch(): { readonly lastVersion: string; deliver(): void };
  /** Requests that were neither a list nor a watch. A steady reconcile sends none. */
  others(): readonly string[];
}

/** @param count objects in the collection, all settled */
export function createCollectionTransport(count: number): CollectionTransport {
  const watches = new Set<ByteStream>();
  const others: string[] = [];
  let version = count;
  const list = (query: URLSearchParams) => {
    const from = Number(query.get('continue') ?? 0);
    const end = Math.min(count, from + Number(query.get('limit') ?? count));
    const items = Array.from({ length: end - from }, (_, i) => settledSample(from + i, from + i + 1));
    const next = end < count ? { continue: String(end) } : {};
    const metadata = { resourceVersion: String(version), ...next };
    return JSON.stringify({
      apiVersion: apiVersionOf(samples),
      kind: `${samples.kind}List`,
      metadata,
      items,
    });
  };
  const respond = <B>(status: number, body: B) => ({ status, header: () => undefined, body });
  const isOfCollection = (method: string, { pathname }: URL) =>
    method === 'GET' && pathname === collectionPath(samples, undefined);
  return {
    host: HOST,
    call: async ({ method, path }): Promise<TransportResponse> => {
      const url = new URL(path, `https://${HOST}`);
      if (isOfCollection(method, url)) return respond(200, list(url.searchParams));
      others.push(`${method} ${path}`);
      return respond(404, '{}');
    },
    open: async ({ method, path, signal }): Promise<OpenResponse> => {
      if (!isOfCollection(method, new URL(path, `https://${HOST}`))) throw new Error(`no watch of ${path}`);
      const stream = createByteStream(signal);
      watches.add(stream);
      signal.addEventListener('abort', () => watches.delete(stream), { once: true });
      return respond(200, stream.bytes);
    },
    prepareTouch: () => {
      const lines = Array.from({ length: count }, (_, index) => {
        const object = settledSample(index, ++version);
        const event = {
          type: 'MODIFIED',
          object: { ...object, status: { ...object.status, seen: version } },
        };
        return `${JSON.stringify(event)}\n`;
      });
      const chunks = inChunks(lines).map((text) => Buffer.from(text));
      return {
        lastVersion: String(version),
        deliver: () => {
          for (const stream of watches) for (const chunk of chunks) stream.push(chunk);
        },
      };
    },
    others: () => others,
    close: async () => undefined,
  };
}

/** As responses of a busy server arrive: several lines at a time. */
function inChunks(lines: readonly string[]): string[] {
  const chunks: string[] = [];
  for (let from = 0; from < lines.length; from += LINES)
    chunks.push(lines.slice(from, from + LINES).join(''));
  return chunks;
}
const LINES = 16;

interface ByteStream {
  readonly bytes: AsyncIterable<Uint8Array>;
  push(chunk: Uint8Array): void;
}

/** Ends with the signal. */
function createByteStream(signal: AbortSignal): ByteStream {
  const chunks: Uint8Array[] = [];
  let resume: () => void = () => undefined;
  signal.addEventListener('abort', () => resume(), { once: true });
  async function* read(): AsyncGenerator<Uint8Array> {
    while (!signal.aborted) {
      const chunk = chunks.shift();
      if (chunk !== undefined) yield chunk;
      else {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
    }
  }
  return {
    bytes: read(),
    push: (chunk) => {
      chunks.push(chunk);
      resume();
    },
  };
}
