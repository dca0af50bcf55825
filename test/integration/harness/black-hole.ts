import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A server that accepts connections and never responds, like a firewall that drops packets. */
export interface BlackHole {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** Accepted connections so far. */
  connections(): number;
  /** From now on connections lead to this port of this machine instead. */
  leadTo(port: number): void;
  /** Breaks all connections, and swallows the next ones again. */
  cut(): void;
  close(): Promise<void>;
}

export async function openBlackHole(): Promise<BlackHole> {
  const sockets = new Set<Socket>();
  let taken = 0;
  let target: number | undefined;
  const server = createServer((socket) => {
    taken++;
    keep(socket);
    if (target === undefined) return;
    const onward = keep(connect(target, '127.0.0.1'));
    socket.pipe(onward).pipe(socket);
  });
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    // The client disconnects at some time.
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    return socket;
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => taken,
    leadTo: (port) => {
      target = port;
    },
    cut: () => {
      target = undefined;
      for (const socket of sockets) socket.destroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
