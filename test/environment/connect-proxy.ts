import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listenOnLoopback } from '../../internal/framework/base/loopback.fixture.ts';

/** An HTTP proxy for CONNECT, as companies have them. */
export interface ConnectProxy {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** `host:port` and the Proxy-Authorization of each requested tunnel. */
  readonly tunnels: readonly { readonly target: string; readonly authorization: string | undefined }[];
  stop(): Promise<void>;
}

/**
 * All tunnels lead to loopback: names that no DNS knows resolve there.
 *
 * @param portOf the port of a tunnel, default the requested one; undefined: it is refused
 */
export async function startConnectProxy(
  portOf: (host: string, port: number) => number | undefined = (_host, port) => port,
): Promise<ConnectProxy> {
  const tunnels: { target: string; authorization: string | undefined }[] = [];
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url: target = '', headers }: IncomingMessage, client: Socket) => {
    tunnels.push({ target, authorization: headers['proxy-authorization'] });
    const { hostname, port } = new URL(`tunnel://${target}`);
    const reached = portOf(hostname, Number(port));
    if (reached === undefined) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const upstream = connect(reached, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => undefined).on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  const { url, close } = await listenOnLoopback(server);
  return { url, tunnels, stop: close };
}
