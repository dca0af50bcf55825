import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network path to a Postgres server, which can fail. */
export interface DatabasePath {
  /** The URL of a database by this path. */
  through(url: string): string;
  /** From now on nothing of the connections that are open gets through, and neither side learns of it. New ones work. */
  drop(): void;
  /** Breaks the connections that are open. New ones work. */
  cut(): void;
  /** New connections lead to the server of this URL; those that are open stay. */
  leadTo(url: string): void;
  close(): Promise<void>;
}

export async function openDatabasePath(url: string): Promise<DatabasePath> {
  let port = Number(new URL(url).port);
  const open = new Set<{ readonly ends: readonly Socket[]; isDropping: boolean }>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const onward = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const connection = { ends: [client, onward], isDropping: false };
    open.add(connection);
    for (const [from, to] of [
      [client, onward],
      [onward, client],
    ] as const) {
      from.on('error', () => undefined);
      from.on('data', (chunk) => connection.isDropping || to.write(chunk));
      from.on('end', () => connection.isDropping || to.end());
      from.on('close', () => {
        open.delete(connection);
        to.destroy();
      });
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const own = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const { ends } of open) for (const end of ends) end.destroy();
  };
  return {
    through: (of) => Object.assign(new URL(of), { port: own }).href,
    drop: () => {
      for (const connection of open) connection.isDropping = true;
    },
    cut,
    leadTo: (other) => {
      port = Number(new URL(other).port);
    },
    close: () => {
      cut();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
