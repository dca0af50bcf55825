/** Something that Jest's main process starts for all test files of a run, when the first one asks for it. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { messageOf } from '../../internal/base/errors/errors.ts';

/** The line that a worker receives. */
type Answer<T> = { readonly value: T } | { readonly error: string };

export interface Running<T> {
  /** Plain data by which workers use it. */
  readonly value: T;
  /** Called when no worker uses it any more; what it returns is called before the next one does. */
  pause?(): () => Promise<void>;
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
  let users = 0;
  let resumed: Promise<void> | undefined;
  let resume: (() => Promise<void>) | undefined;
  const lend = async (): Promise<Answer<T>> => {
    try {
      starting ??= start();
      const { value } = await starting;
      if (resume !== undefined) resumed = resume();
      resume = undefined;
      await resumed;
      return { value };
    } catch (error) {
      return { error: messageOf(error) };
    }
  };
  const takeBack = async () => {
    const running = await starting?.catch(() => undefined);
    if (users === 0) resume ??= running?.pause?.();
  };
  const serve = async (socket: Socket) => {
    users++;
    socket.on('error', () => undefined);
    socket.resume();
    const ended = once(socket, 'close').catch(() => undefined);
    socket.write(`${JSON.stringify(await lend())}\n`);
    await ended;
    users--;
    await takeBack();
  };
  const folder = await mkdtemp(join(tmpdir(), 'on-demand-'));
  const path = join(folder, 'socket');
  const server = createServer((socket) => void serve(socket));
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

export interface Lent<T> {
  readonly value: T;
  /** Tells that this worker does not use it any more. Otherwise it does so until its end. */
  giveBack(): void;
}

/** Undefined outside of a run of integration tests. @throws if it could not be started */
export async function askOnDemand<T>(variable: string): Promise<Lent<T> | undefined> {
  const path = process.env[variable];
  if (path === undefined) return undefined;
  const socket = createConnection(path);
  const lines = createInterface({ input: socket });
  const { value: line } = await lines[Symbol.asyncIterator]().next();
  socket.unref();
  const answer: Answer<T> = JSON.parse(line ?? '{"error":"the main process has ended"}');
  const giveBack = () => {
    lines.close();
    socket.end();
  };
  if ('value' in answer) return { value: answer.value, giveBack };
  giveBack();
  throw new Error(answer.error);
}
