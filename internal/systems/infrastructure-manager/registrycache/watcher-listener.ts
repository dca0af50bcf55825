/**
 * Where the runtime watcher reports that a RegistryCacheConfig of a runtime has changed. Of a request counts only whose certificate
 * the mesh in front has verified; its body is not used. What changed is read from the cluster itself.
 */
import { X509Certificate } from 'node:crypto';
import type { RequestListener } from '../../../framework/process/index.ts';

/** Path of the Kyma infrastructure manager. */
const PATH = '/v2/infrastructure-manager-registry-cache/event';
/** Header of Envoy with the certificate of the client. */
const CERTIFICATE = 'x-forwarded-client-cert';

/** Bytes of a body. */
export const MAX_EVENT_BYTES = 16_384;

/** Told of runtimes whose caches may have changed, by their ID. */
export interface RuntimeEvents {
  report(runtimeId: string): void;
  /** Calls the listener with each ID, until the returned function is called. */
  onEvent(listener: (runtimeId: string) => void): () => void;
}

export function createRuntimeEvents(): RuntimeEvents {
  const listeners = new Set<(runtimeId: string) => void>();
  return {
    report: (runtimeId) => {
      for (const listener of listeners) listener(runtimeId);
    },
    onEvent: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export const createWatcherListener =
  (events: Pick<RuntimeEvents, 'report'>): RequestListener =>
  (request, response) => {
    const answer = (status: number) => response.writeHead(status).end();
    if ((request.url ?? '').split('?', 1)[0] !== PATH) return void answer(404);
    if (request.method !== 'POST') return void answer(405);
    const { [CERTIFICATE]: header } = request.headers;
    const name = commonNameOf(typeof header === 'string' ? header : '');
    if (name === undefined) return void answer(401);
    if (name === '') return void answer(400);
    if (!isJson(request.rawBody.toString('utf8'))) return void answer(500);
    events.report(name);
    answer(200);
  };

/** The common name of the certificate in the header; undefined: there is none that can be read. */
function commonNameOf(header: string): string | undefined {
  const [, encoded] = /(?:^|[;,])\s*Cert="?([^";,]+)"?/i.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  try {
    const { subject } = new X509Certificate(decodeURIComponent(encoded));
    return /^CN=(.*)$/m.exec(subject)?.[1]?.trim() ?? '';
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
