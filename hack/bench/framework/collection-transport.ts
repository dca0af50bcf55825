import { Readable } from 'node:stream';
import { collectionPath } from '../../../internal/framework/kube/client/resource-path.ts';
import { apiVersionOf } from '../../../internal/framework/kube/object/resource-type.ts';
import type { Transport } from '../../../internal/framework/kube/transport/transport.ts';
import { samples, settledSample } from './sample-kind.ts';

const HOST = 'bench.example.org';
/** Lines in one chunk of a watch: a busy server sends several at a time. */
const LINES = 16;

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
  const watches = new Set<Readable>();
  const others: string[] = [];
  let version = count;
  const list = (query: URLSearchParams): string => {
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
    call: async ({ method, path }) => {
      const url = new URL(path, `https://${HOST}`);
      if (isOfCollection(method, url)) return respond(200, list(url.searchParams));
      others.push(`${method} ${path}`);
      return respond(404, '{}');
    },
    open: async ({ method, path, signal }) => {
      if (!isOfCollection(method, new URL(path, `https://${HOST}`))) throw new Error(`no watch of ${path}`);
      const stream = new Readable({ signal, read: () => undefined });
      watches.add(stream);
      stream.once('close', () => watches.delete(stream));
      return respond(200, stream);
    },
    prepareTouch: () => {
      const lines = Array.from({ length: count }, (_, index) => {
        const object = settledSample(index, ++version);
        const status = { ...object.status, seen: version };
        return `${JSON.stringify({ type: 'MODIFIED', object: { ...object, status } })}\n`;
      });
      const chunks: Buffer[] = [];
      while (lines.length > 0) chunks.push(Buffer.from(lines.splice(0, LINES).join('')));
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
