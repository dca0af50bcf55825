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
import { abandonable } from '../../../internal/framework/base/concurrency/abandonable.ts';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { RUNTIME_ENV, RUNTIME_OPTIONS } from '../../xpkg/runtime-image.ts';
import type { BenchContext } from '../context.ts';

/** What a process has used since it began, in ms of CPU time of all its threads, and what it holds. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssMiB: number;
  /**
   * Resident memory without the pages of files. Those are mostly of Node's binary, which all its processes on a node share: the
   * cgroup of a pod has this memory, and file pages only if no other cgroup has them.
   */
  readonly ownMiB: number;
  readonly heapMiB: number;
  readonly peakRssMiB: number;
}

export interface Question {
  readonly id: number;
  readonly question: string;
  readonly options?: unknown;
}
export type Reply = { readonly id: number } & ({ readonly answer: unknown } | { readonly error: string });

/** Its disposal is SIGTERM, and SIGKILL after a time-out. */
export interface MeasuredProcess extends AsyncDisposable {
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
}

export interface MeasuredProcessOptions {
  /** Names its log and its pid file. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: NodeJS.ProcessEnv;
  /** False: no probe is loaded, and the process cannot be queried. Default true. */
  readonly probe?: boolean;
}

const PROBE = pathToFileURL(join(import.meta.dirname, 'probe.js')).href;
/** The longest question is a profile. */
const ANSWER_TIMEOUT_MS = 180_000;
const STOP_MS = 10_000;

/** A command of the bundle, started as the image starts it. @param name of its log */
export const launchBundle = (
  context: Pick<BenchContext, 'directory' | 'clock' | 'signal' | 'dist'>,
  name: string,
  args: readonly string[],
): Promise<MeasuredProcess> =>
  launch(context, {
    name,
    command: process.execPath,
    args: [...RUNTIME_OPTIONS, join(context.dist, 'provider-kyma.mjs'), ...args],
    env: { ...process.env, ...RUNTIME_ENV },
  });

/** @throws if it cannot be launched. Later failures reject the queries. */
export async function launch(
  { directory, clock, signal }: Pick<BenchContext, 'directory' | 'clock' | 'signal'>,
  { name, command, args, env, probe = true }: MeasuredProcessOptions,
): Promise<MeasuredProcess> {
  const logFile = join(directory, `${name}.log`);
  const pidFile = join(directory, `${name}.pid`);
  const log = openSync(logFile, 'w', 0o600);
  const launchedAt = performance.timeOrigin + performance.now();
  const child = spawn(command, args, {
    cwd: directory,
    // In a session of its own: a Ctrl-C reaches the bench alone, which stops everything in order.
    detached: true,
    env: probe ? { ...env, NODE_OPTIONS: `--expose-gc --import=${PROBE}` } : env,
    stdio: ['ignore', log, log, ...(probe ? ['ipc' as const] : [])],
  });
  closeSync(log);
  const gone = new AbortController();
  const exited = once(gone.signal, 'abort');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let questions = 0;
  const end = (how: string) => {
    rmSync(pidFile, { force: true });
    const lastWords = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-10).join('\n');
    gone.abort(new Error(`${name} is gone: ${how}; its last words:\n${lastWords}`));
  };
  child.once('error', (error) => end(messageOf(error)));
  child.once('exit', (code, signal) => end(`it ended with ${code ?? signal}`));
  child.on('message', (reply: Reply) => {
    const asked = waiting.get(reply.id);
    if ('error' in reply) asked?.reject(new Error(`${name}: ${reply.error}`));
    else asked?.resolve(reply.answer);
  });
  await Promise.race([once(child, 'spawn').catch(() => exited), exited]);
  gone.signal.throwIfAborted();
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} runs without a process id`);
  writeFileSync(pidFile, String(pid));

  const over = AbortSignal.any([gone.signal, signal]);
  const during = <T>(work: Promise<T>): Promise<T> => abandonable(work, over);
  const ask = async <T>(question: string, options?: unknown): Promise<T> => {
    gone.signal.throwIfAborted();
    const id = ++questions;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    const cancel = clock.after(ANSWER_TIMEOUT_MS, () =>
      answer.reject(new Error(`${name} does not answer to ${question}`)),
    );
    try {
      child.send({ id, question, options } satisfies Question);
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
    [Symbol.asyncDispose]: async () => {
      if (gone.signal.aborted) return;
      child.kill('SIGTERM');
      const cancel = clock.after(STOP_MS, () => child.kill('SIGKILL'));
      await exited;
      cancel();
    },
  };
}
