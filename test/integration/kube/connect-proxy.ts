import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** An HTTP proxy for CONNECT, as companies have them. */
export interface ConnectProxy {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** `host:port` and the Proxy-Authorization of each requested tunnel. */
  readonly tunnels: readonly { readonly target: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

/** @param reach the target of all tunnels, in place of the requested one; undefined: refuse them all */
export async function startConnectProxy(reach: string | undefined): Promise<ConnectProxy> {
  const tunnels: { target: string; authorization: string | undefined }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (request, client: Socket) => {
    tunnels.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    client.on('error', () => undefined);
    if (reach === undefined) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const { hostname, port } = new URL(reach);
    const upstream = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
