import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { resolve } from 'node:path';
import { ProviderError } from '../../../base/errors/errors.ts';

/**
 * Makes the folder and locks it against other processes of this machine, until the returned function is called or this
 * process ends, however it ends: the lock is an abstract socket (Linux) named after the folder.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = `provider-kyma-${hash('sha256', resolve(folder)).slice(0, 32)}`;
  const server = createServer((socket) => socket.destroy());
  await listen(server, `\0${name}`, folder);
  server.unref();
  return () => new Promise((done) => server.close(() => done()));
}

function listen(server: Server, path: string, folder: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      fail(
        cause.code === 'EADDRINUSE'
          ? new ProviderError('terminal', `another process has the folder ${folder} open`, { cause })
          : cause,
      ),
    );
    server.listen(path, done);
  });
}
