import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** A server on 127.0.0.1. */
export interface Loopback extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, or `https://` for a server with TLS. */
  readonly url: string;
  /** Cuts all connections. */
  cut(): void;
  /** Cuts all connections and ends the server. */
  close(): Promise<void>;
}

/**
 * Starts a server of Node: HTTP, TLS or plain TCP. A connection that fails is no error of the server.
 *
 * @param ownPort default: a free one
 */
export async function listenOnLoopback(server: Server, ownPort = 0): Promise<Loopback> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await once(server.listen(ownPort, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  const scheme = server instanceof TlsServer ? 'https' : 'http';
  return { port, url: `${scheme}://127.0.0.1:${port}`, cut, close, [Symbol.asyncDispose]: close };
}
