import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as send } from 'node:https';
import { createAuthority } from '../../../hack/control-planes/access/authority.ts';
import { renderKubeconfig } from '../../../hack/control-planes/access/kubeconfig.ts';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';

/** An HTTPS server on loopback with a certificate authority of its own and a given handler. */
export interface TlsServer {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  /** PEM of its authority. */
  readonly authority: string;
  /** That leads to it with this bearer token. */
  kubeconfig(token: string): string;
  close(): Promise<void>;
}

export type TlsHandler = (request: IncomingMessage, response: ServerResponse) => void;

export async function startTlsServer(handler: TlsHandler): Promise<TlsServer> {
  const authority = await createAuthority('hardening tests');
  const { certificate, key } = await authority.issueServer(['127.0.0.1']);
  const server = createServer({ cert: certificate, key }, (request, response) => {
    // These tests let clients disconnect in the middle of a response.
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    handler(request, response);
  });
  const { url, close } = await listenOnLoopback(server.on('tlsClientError', () => undefined));
  return {
    url,
    authority: authority.certificate,
    kubeconfig: (token) =>
      renderKubeconfig({
        ...{ cluster: 'c', server: url, authority: authority.certificate },
        ...{ user: 'u', client: { token } },
      }),
    close,
  };
}

/** Forwards a request to an API server. */
export function forwardTo(server: string, authority: string): TlsHandler {
  const { hostname, port } = new URL(server);
  return (request, response) => {
    const onward = send(
      {
        hostname,
        port,
        ca: authority,
        method: request.method,
        path: request.url,
        headers: { ...request.headers, host: `${hostname}:${port}` },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        // Otherwise a watch without a reader goes on for minutes.
        response.on('close', () => answer.destroy());
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  };
}
