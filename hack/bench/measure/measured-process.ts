/**
 * A process that is measured: the provider as users start it, or a program of the bench. The bench queries it over an
 * IPC channel; the probe (probe.js) replies from within, so figures are what the kernel accounts to that very process,
 * garbage collections included.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { abandonable } from '../../../internal/base/concurrency/abandonable.ts';
import { messageOf } from '../../../internal/base/errors/errors.ts';
import type { Clock } from '../../../internal/base/time/clock.ts';

/** What a process has used since it began, in ms of CPU time of all its threads, and what it holds. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssMiB: number;
  readonly heapMiB: number;
  readonly peakRssMiB: number;
}

export interface Question {
  readonly id: number;
  readonly question: string;
  readonly options?: unknown;
}
export type Reply = { readonly id: number } & ({ readonly answer: unknown } | { readonly error: string });

export interface MeasuredProcess {
  /** When it was launched, in ms since the epoch with their fractions. */
  readonly launchedAt: number;
  readonly logFile: string;
  readonly pid: number;
  usage(): Promise<Usage>;
  /** The same after forced collections. */
  collected(): Promise<Usage>;
  /** Writes a CPU profile of the coming `ms` to `file`. */
  profile(ms: number, file: string): Promise<void>;
  /** The outcome of `work`, or a rejection as soon as the process is gone or the bench is aborted. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Any other question that the program answers (answer-questions.ts). */
  ask<T>(question: string, options?: unknown): Promise<T>;
  /** SIGTERM, and SIGKILL after a time-out. */
  stop(): Promise<void>;
}

export interface MeasuredProcessOptions {
  /** Names its log and its pid file in `directory`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: NodeJS.ProcessEnv;
  /** Guarded by a watchdog, so nothing outlives a killed bench. */
  readonly directory: string;
  readonly clock: Clock;
  /** Ends every wait for the process. The process itself is ended by `stop`. */
  readonly signal: AbortSignal;
  /** False: no probe is loaded, and the process cannot be queried. Default true. */
  readonly probe?: boolean;
}

const PROBE = pathToFileURL(join(import.meta.dirname, 'probe.js')).href;
/** The longest question is a profile. */
const ANSWER_TIMEOUT_MS = 180_000;
const STOP_MS = 10_000;

/** @throws if it cannot be launched. Later failures reject the queries. */
export async function launch(options: MeasuredProcessOptions): Promise<MeasuredProcess> {
  const { name, directory, clock, signal, probe = true } = options;
  const logFile = join(directory, `${name}.log`);
  const pidFile = join(directory, `${name}.pid`);
  const log = openSync(logFile, 'w', 0o600);
  const launchedAt = performance.timeOrigin + performance.now();
  const child = spawn(options.command, options.args, {
    cwd: directory,
    // In a session of its own: a Ctrl-C reaches the bench alone, which stops everything in order.
    detached: true,
    env: probe ? { ...options.env, NODE_OPTIONS: `--expose-gc --import=${PROBE}` } : options.env,
    stdio: ['ignore', log, log, ...(probe ? ['ipc' as const] : [])],
  });
  closeSync(log);
  const exited = Promise.withResolvers<void>();
  const gone = new AbortController();
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let ended: string | undefined;
  let questions = 0;
  const end = (how: string) => {
    ended ??= `${name} is gone: ${how}; its last words:\n${lastLines(logFile)}`;
    rmSync(pidFile, { force: true });
    gone.abort(new Error(ended));
    exited.resolve();
  };
  child.once('error', (error) => end(messageOf(error)));
  child.once('exit', (code, signal) => end(`it ended with ${code ?? signal}`));
  child.on('message', (reply: Reply) => {
    const asked = waiting.get(reply.id);
    if ('error' in reply) asked?.reject(new Error(`${name}: ${reply.error}`));
    else asked?.resolve(reply.answer);
  });
  await Promise.race([once(child, 'spawn'), exited.promise]);
  if (ended !== undefined) throw new Error(ended);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} runs without a process id`);
  writeFileSync(pidFile, String(pid));

  const over = AbortSignal.any([gone.signal, signal]);
  const during = <T>(work: Promise<T>): Promise<T> => abandonable(work, over);
  const ask = async <T>(question: string, about?: unknown): Promise<T> => {
    if (ended !== undefined) throw new Error(ended);
    const id = ++questions;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    const cancel = clock.after(ANSWER_TIMEOUT_MS, () =>
      answer.reject(new Error(`${name} does not answer to ${question}`)),
    );
    try {
      child.send({ id, question, options: about } satisfies Question);
      return (await during(answer.promise)) as T;
    } finally {
      waiting.delete(id);
      cancel();
    }
  };
  return {
    launchedAt,
    logFile,
    pid,
    ask,
    during,
    usage: () => ask('usage'),
    collected: () => ask('collected'),
    profile: (ms, file) => ask('profile', { ms, file }),
    stop: async () => {
      if (ended !== undefined) return;
      child.kill('SIGTERM');
      const cancel = clock.after(STOP_MS, () => child.kill('SIGKILL'));
      await exited.promise;
      cancel();
    },
  };
}

const lastLines = (logFile: string): string =>
  readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-10).join('\n');
