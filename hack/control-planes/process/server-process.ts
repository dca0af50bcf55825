import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Clock, sleep } from '../../../internal/framework/base/time/clock.ts';

const READY_POLL_MS = 50;

export interface ServerProcessOptions {
  /** Names the process in messages, its log `<name>.log` and its `<name>.pid` in `directory`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Working directory of the process. */
  readonly directory: string;
  /** Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Whether the server is ready. Polled until it is true; a rejection counts as false. */
  readonly isReady: () => Promise<boolean>;
  /** Milliseconds until the start counts as failed. Default 2 min: beside others, an API server may need more than one. */
  readonly timeoutMs?: number;
  /** Gives the start up. What has started is stopped by `stop`, not by this. */
  readonly signal?: AbortSignal | undefined;
}

export interface ServerProcess {
  /** Ends the process and waits until it is gone. Default SIGKILL: what it stored is thrown away anyway. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Sends it a signal and does not wait for what comes of it. */
  signal(name: NodeJS.Signals): void;
  /** Freezes the process, sockets open, until the returned function is called. Resolves when all its threads stand still. */
  freeze(): Promise<() => void>;
  /** Resolves when the process is gone, with how: `it ended with SIGKILL`. */
  readonly gone: Promise<string>;
}

/** Another process uses the port. Retry with another one. */
export class PortTakenError extends Error {}

/**
 * Starts a server and waits until it is ready. It runs in a session of its own, so that a Ctrl-C in the terminal does
 * not reach it; `<name>.pid` lets the watchdog find it if this process dies.
 */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { name, directory, clock, isReady, timeoutMs = 120_000, signal } = options;
  signal?.throwIfAborted();
  const logFile = join(directory, `${name}.log`);
  const pidFile = join(directory, `${name}.pid`);
  const log = openSync(logFile, 'a', 0o600);
  // Output of earlier runs does not belong to this one.
  const before = fstatSync(log).size;
  const child = spawn(options.command, options.args, {
    cwd: directory,
    detached: true,
    stdio: ['ignore', log, log],
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  closeSync(log);
  if (child.pid !== undefined) writeFileSync(pidFile, String(child.pid));
  const gone = Promise.withResolvers<string>();
  let ended: string | undefined;
  const end = (how: string) => {
    ended = how;
    gone.resolve(how);
  };
  child.once('error', (error) => end(error.message));
  child.once('exit', (code, signal) => {
    rmSync(pidFile, { force: true });
    end(`it ended with ${code ?? signal}`);
  });
  // A server that is still running does not keep Node alive: the watchdog stops it.
  child.unref();

  const server: ServerProcess = {
    gone: gone.promise,
    stop: async (signal = 'SIGKILL') => {
      if (ended !== undefined) return;
      child.ref();
      const exited = once(child, 'exit');
      child.kill(signal);
      // A frozen process takes no other signal until it goes on.
      if (signal !== 'SIGKILL') child.kill('SIGCONT');
      await exited;
    },
    signal: (name) => {
      child.kill(name);
    },
    freeze: async () => {
      child.kill('SIGSTOP');
      // The signal takes effect when the kernel runs one of its threads, on a busy machine a second later.
      while (ended === undefined && !isStopped(child.pid)) await sleep(clock, READY_POLL_MS);
      return () => {
        child.kill('SIGCONT');
      };
    },
  };

  const deadline = clock.monotonic() + timeoutMs;
  while (!(await isReady().catch(() => false))) {
    const text = readFileSync(logFile).subarray(before).toString();
    if (ended !== undefined) {
      if (/address already in use/i.test(text)) throw new PortTakenError(`cannot start ${name}: port taken`);
      throw new Error(`cannot start ${name}: ${ended}; its last words:\n${tail(text)}`);
    }
    if (signal?.aborted) {
      await server.stop();
      throw signal.reason;
    }
    if (clock.monotonic() > deadline) {
      await server.stop();
      throw new Error(`cannot start ${name}: not ready after ${timeoutMs / 1000} s; it says:\n${tail(text)}`);
    }
    await sleep(clock, READY_POLL_MS);
  }
  return server;
}

/** By `/proc`; without it, a process counts as stopped. */
function isStopped(pid: number | undefined): boolean {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return true;
  return readdirSync(tasks).every((id) => {
    try {
      // After the name, which may contain anything in its parentheses.
      return /\) [TtZX] /.test(readFileSync(`${tasks}/${id}/stat`, 'utf8'));
    } catch {
      return true;
    }
  });
}

const tail = (text: string): string => text.trimEnd().split('\n').slice(-20).join('\n');
