import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy between client and server that forwards bytes and cuts connections on command. */
export interface CuttingProxy {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  /** Cuts what is open and returns how many that were. */
  cut(): number;
  /** Connections that were made so far. */
  connections(): number;
  close(): Promise<void>;
}

export async function startCuttingProxy(server: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(server);
  const sockets = new Set<Socket>();
  let connections = 0;
  const proxy = createServer((client) => {
    connections++;
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    const open = [...sockets];
    // A reset, as from a load balancer that forgot the connection.
    for (const socket of open) socket.resetAndDestroy();
    return open.length / 2;
  };
  return {
    url: `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cut,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        cut();
      }),
  };
}
