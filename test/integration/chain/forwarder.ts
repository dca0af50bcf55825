import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Forwards TCP connections to a server. */
export interface Forwarder {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Ends all connections, and those that come, until the returned function is called. */
  cut(): () => void;
  stop(): Promise<void>;
}

export async function startForwarder(port: number): Promise<Forwarder> {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.once('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      isCut = true;
      endAll();
      return () => {
        isCut = false;
      };
    },
    stop: async () => {
      server.close();
      endAll();
      await once(server, 'close');
    },
  };
}
