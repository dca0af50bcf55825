import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ConnectProxy {
  readonly url: string;
  /** Targets of the tunnels it opened, as requested. */
  readonly tunnels: readonly string[];
  stop(): Promise<void>;
}

/**
 * A proxy that tunnels to loopback for every host: names that no DNS knows resolve there.
 *
 * @param portOf the local port; default the requested one
 */
export async function startConnectProxy(
  portOf: (host: string, port: number) => number = (_host, port) => port,
): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', (request: IncomingMessage, downstream: Socket) => {
    const target = request.url ?? '';
    tunnels.push(target);
    const { hostname, port } = new URL(`tunnel://${target}`);
    const upstream = connect(portOf(hostname, Number(port)), '127.0.0.1', () => {
      downstream.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(downstream).pipe(upstream);
    });
    sockets.add(upstream);
    for (const socket of [upstream, downstream]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        upstream.destroy();
        downstream.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
