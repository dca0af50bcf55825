/**
 * The simulated Gardener over real TLS, for a program that runs in a process of its own, and for more Shoots than a real
 * gardener-apiserver takes on a small machine.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAuthority } from '../../../../hack/control-planes/access/authority.ts';
import { renderKubeconfig } from '../../../../hack/control-planes/access/kubeconfig.ts';
import { KubeApiError } from '../../../../internal/framework/kube/errors/errors.ts';
import { type Answer, json } from '../../base/answer.ts';
import { send } from '../../base/faults/fault-injection.ts';
import { createFaults } from '../../base/faults/faults.ts';
import { listen } from '../../base/http/listener.ts';
import {
  createJournal,
  type OpenRecord,
  type RequestFilter,
  type RequestRecord,
} from '../../base/journal.ts';
import { GARDENER_KINDS } from '../kinds.ts';
import type { SimulatedGardener } from '../simulated-gardener.ts';
import { discovered, parsePath } from './resource-request.ts';
import { type ServedRequest, serveResource, watchLines } from './serve-resource.ts';
import { type Route, type ServerFaults, serveWithFaults } from './server-faults.ts';

export interface GardenerServer {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  /** YAML, with a client certificate: other clients get a 401. */
  readonly kubeconfig: string;
  readonly faults: ServerFaults;
  /** In the order in which they came, without bodies. */
  requests(filter?: RequestFilter<Route>): RequestRecord<Route>[];
  /** The most requests other than watches that were in flight at a time. */
  maxInFlight(): number;
  /** Forgets requests that are over, and faults. */
  reset(): void;
  stop(): Promise<void>;
}

const METADATA_ONLY = /as=PartialObjectMetadata/;

/** @param port default: any free one */
export async function serveGardener(gardener: SimulatedGardener, { port = 0 } = {}): Promise<GardenerServer> {
  const authority = await createAuthority('gardener-simulator');
  const [server, client] = await Promise.all([
    authority.issueServer(['127.0.0.1', 'localhost']),
    authority.issueClient('infrastructure-manager'),
  ]);
  const api = gardener.client.otherProgram();
  const faults = createFaults<Route>();
  const journal = createJournal<Route>();
  const stopping = new AbortController();

  const handle = async (message: IncomingMessage, response: ServerResponse, body: string): Promise<void> => {
    const url = new URL(message.url ?? '/', 'https://simulator');
    const method = message.method ?? '';
    const isWatch = ['1', 'true'].includes(url.searchParams.get('watch') ?? '');
    const record = journal.open({ method, path: url.pathname, query: Object.fromEntries(url.searchParams) });
    response.once('close', () => record.close('left'));
    const signal = AbortSignal.any([stopping.signal, closing(response)]);
    if (!isAuthorized(message))
      return send({ response, record }, status(401, 'Unauthorized', 'Unauthorized'));
    const named = parsePath(url.pathname, GARDENER_KINDS);
    const answer = named === undefined ? fixedAnswer(method, url.pathname, body) : undefined;
    if (named === undefined)
      return send({ response, record }, answer ?? status(404, 'NotFound', 'not found'));
    const route = named.type.plural + (named.subresource === undefined ? '' : `/${named.subresource}`);
    const subject = { route, method, path: url.pathname, instance: named.name };
    const met = faults.meeting(subject);
    record.update({
      route,
      ...(named.name ? { instance: named.name } : {}),
      faults: met.map(({ id }) => id),
    });
    const request: ServedRequest = {
      ...{ ...named, method, body, query: url.searchParams },
      contentType: message.headers['content-type'] ?? '',
      metadataOnly: METADATA_ONLY.test(message.headers.accept ?? ''),
    };
    try {
      const actions = met.map(({ action }) => action);
      if (isWatch && actions.length === 0) return await watch(request, { response, record, signal });
      const serve = () => answering(() => serveResource(api, request));
      await serveWithFaults(actions, { response, record, signal, serve });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };
  const watch = async (
    request: ServedRequest,
    {
      response,
      record,
      signal,
    }: { response: ServerResponse; record: OpenRecord<Route>; signal: AbortSignal },
  ): Promise<void> => {
    // It is open for minutes and no work of the server.
    record.close('answered', 200);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    try {
      for await (const line of watchLines(api, request, signal)) {
        if (!response.write(line)) await drained(response);
      }
    } catch (error) {
      if (!(error instanceof KubeApiError)) throw error;
      response.write(`${JSON.stringify({ type: 'ERROR', object: statusObject(error) })}\n`);
    }
    response.end();
  };
  const tls = {
    ...{ key: server.key, cert: server.certificate, ca: authority.certificate },
    requestCert: true,
    rejectUnauthorized: false,
  };
  const listener = await listen(tls, { address: '127.0.0.1', port }, handle);
  const url = `https://127.0.0.1:${listener.port}`;
  return {
    url,
    kubeconfig: renderKubeconfig({
      ...{ cluster: 'gardener', server: url, authority: authority.certificate },
      ...{ user: 'infrastructure-manager', client },
    }),
    faults,
    requests: journal.requests,
    maxInFlight: journal.maxInFlight,
    reset: () => {
      journal.clear();
      faults.clear();
    },
    stop: async () => {
      stopping.abort();
      await listener.stop();
    },
  };
}

const isAuthorized = ({ socket }: IncomingMessage): boolean =>
  'authorized' in socket && socket.authorized === true;

/** Resolves also when it is closed. */
async function drained(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve).once('close', resolve);
  await promise;
  response.off('drain', resolve).off('close', resolve);
}

function closing(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}

/** Answers that do not depend on what is stored. */
function fixedAnswer(method: string, path: string, body: string): Answer | undefined {
  if (path === '/version') return json(200, { major: '1', minor: '36', gitVersion: 'v1.36.3' });
  if (['/readyz', '/livez', '/healthz'].includes(path)) return { status: 200, headers: {}, body: 'ok' };
  if (method === 'POST' && path === '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')
    return json(201, { ...JSON.parse(body), status: { allowed: true } });
  const resources = discovered(path, GARDENER_KINDS);
  return resources && json(200, resources);
}

async function answering(serve: () => Promise<Answer>): Promise<Answer> {
  try {
    return await serve();
  } catch (error) {
    if (error instanceof KubeApiError) return json(error.status, statusObject(error));
    if (error instanceof RangeError || error instanceof SyntaxError)
      return status(400, 'BadRequest', error.message);
    throw error;
  }
}

const statusObject = ({ status, reason, message, details }: KubeApiError): object => ({
  ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason, message, details },
});

const status = (code: number, reason: string, message: string): Answer =>
  json(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message });
