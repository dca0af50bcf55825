/** Something that Jest's main process starts for all test files of a run, when the first one asks for it. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';

/** What is sent to a worker that asks, as JSON. */
type Answer<T> = { readonly value: T } | { readonly error: string };

export interface Running<T> {
  /** Plain data by which workers use it. */
  readonly value: T;
  stop(): Promise<void>;
}

export interface OnDemandService {
  /** Stops what was started. */
  stop(): Promise<void>;
}

/**
 * What a worker starts would end with it, and a run may need none of it.
 *
 * @param variable of the environment, which names the socket for workers
 */
export async function serveOnDemand<T>(
  variable: string,
  start: () => Promise<Running<T>>,
): Promise<OnDemandService> {
  let starting: Promise<Running<T>> | undefined;
  const folder = await mkdtemp(join(tmpdir(), 'on-demand-'));
  const path = join(folder, 'socket');
  const server = createServer(async (socket) => {
    starting ??= start();
    const answer = await starting.then(
      ({ value }): Answer<T> => ({ value }),
      (error: unknown): Answer<T> => ({ error: messageOf(error) }),
    );
    socket.on('error', () => undefined);
    socket.end(JSON.stringify(answer));
  });
  server.listen(path);
  await once(server, 'listening');
  server.unref();
  process.env[variable] = path;
  return {
    stop: async () => {
      server.close();
      await starting?.then((running) => running.stop()).catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Undefined outside of a run of integration tests. @throws if it could not be started */
export async function askOnDemand<T>(variable: string): Promise<T | undefined> {
  const path = process.env[variable];
  if (path === undefined) return undefined;
  const answer: Answer<T> = JSON.parse(await text(createConnection(path)));
  if ('error' in answer) throw new Error(answer.error);
  return answer.value;
}
