import { deserialize } from 'node:v8';
import type { Deps } from '../../base/deps.ts';
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import { startThread, type Thread } from './thread.ts';
import { createTurns } from './turns.ts';

/** A job exceeded a limit. Kind `transient` for the time, since the machine may be busy; else `terminal`. */
export class WorkerStoppedError extends ProviderError {
  readonly limit: WorkerLimit;

  constructor(limit: WorkerLimit, message: string) {
    super(limit === 'time' ? 'transient' : 'terminal', message);
    this.limit = limit;
  }
}

export type WorkerLimit = 'time' | 'memory' | 'result';

export interface WorkerPoolOptions extends Pick<Deps, 'clock'> {
  /** For messages: `Secret templates`. */
  readonly name: string;
  /** The URL of the module that calls `serveJobs`. Asked when a thread is started. */
  readonly entry: () => Promise<string>;
  /** Threads. Default 1. */
  readonly size?: number;
  /** Time of one job, in ms; then it is ended with its thread. Default 1000. */
  readonly deadlineMs?: number;
  /** Heap of a thread, in MiB; a job that needs more is ended with its thread. Default 64. */
  readonly heapMb?: number;
  /** Of a result as it is sent between threads, in bytes. Default 4 MiB. */
  readonly maxResultBytes?: number;
  /** An idle thread ends after this time, in ms. Default 30000. */
  readonly idleMs?: number;
}

/**
 * Runs work outside of the event loop, because others choose how long it takes. Threads are started when there are jobs. A job that
 * takes too long, or too much memory, ends with its thread.
 */
export interface WorkerPool<Job, Result> {
  /**
   * @param group jobs of one group wait behind each other, and groups take turns: a tenant delays others by one job at most
   * @throws WorkerStoppedError, the signal's reason while the job waits, an error of kind `bug` if the job throws
   */
  run(job: Job, options: { readonly group: string; readonly signal: AbortSignal }): Promise<Result>;
  /** Ends all threads. Jobs that wait or run are rejected. */
  close(): Promise<void>;
}

interface Pending<Job, Result> {
  readonly job: Job;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** To load the code of a job, on a busy machine. */
const START_MS = 30_000;

export function createWorkerPool<Job, Result>(options: WorkerPoolOptions): WorkerPool<Job, Result> {
  const { clock, name, entry, size = 1, deadlineMs = 1000, heapMb = 64, idleMs = 30_000 } = options;
  const { maxResultBytes = 4 * 1024 * 1024 } = options;
  const waiting = createTurns<Pending<Job, Result>>();
  /** Those without a job, with the end of their time. */
  const idle = new Map<Thread, () => void>();
  const all = new Set<Thread>();
  let starting = 0;
  let closed = false;

  const rest = (thread: Thread) => {
    const cancel = clock.after(idleMs, () => {
      idle.delete(thread);
      all.delete(thread);
      void thread.end();
    });
    idle.set(thread, cancel);
  };
  const perform = async (thread: Thread, { job, resolve, reject }: Pending<Job, Result>) => {
    try {
      const answer = await thread.ask(job, deadlineMs);
      if ('thrown' in answer) reject(new ProviderError('bug', `a job of ${name} failed: ${answer.thrown}`));
      else if ('tooLarge' in answer) {
        const text = `a job of ${name} had a result of ${answer.tooLarge} bytes; the limit is ${maxResultBytes}`;
        reject(new WorkerStoppedError('result', text));
      } else resolve(deserialize(answer.result));
    } catch (error) {
      reject(error);
    }
    if (thread.ended) {
      // Until it has ended it counts: a call of V8 itself cannot be interrupted.
      await thread.end();
      all.delete(thread);
    } else rest(thread);
    dispatch();
  };
  const start = async () => {
    starting++;
    try {
      const thread = await startThread({
        clock,
        url: await entry(),
        heapMb,
        maxResultBytes,
        startMs: START_MS,
        late: (ms) =>
          new WorkerStoppedError('time', `a job of ${name} took longer than ${ms} ms and was ended`),
        tooLarge: () =>
          new WorkerStoppedError('memory', `a job of ${name} needed more than ${heapMb} MiB and was ended`),
        gone: () => new ProviderError('transient', `the thread of ${name} has ended`),
      });
      if (closed) await thread.end();
      else {
        all.add(thread);
        rest(thread);
      }
    } catch (error) {
      const why = new ProviderError('transient', `cannot start the thread of ${name}: ${messageOf(error)}`);
      waiting.next()?.reject(why);
    }
    starting--;
    dispatch();
  };
  const dispatch = () => {
    for (const [thread, cancel] of idle) {
      if (thread.ended) {
        // It died without a job, and would not answer.
        idle.delete(thread);
        all.delete(thread);
        cancel();
        continue;
      }
      const next = waiting.next();
      if (next === undefined) return;
      idle.delete(thread);
      cancel();
      void perform(thread, next);
    }
    if (waiting.size() > starting && all.size + starting < size && !closed) void start();
  };

  return {
    run: (job, { group, signal }) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new ProviderError('transient', `the threads of ${name} are closed`));
        if (signal.aborted) return reject(signal.reason);
        const abandon = () => {
          waiting.remove(group, pending);
          reject(signal.reason);
        };
        const pending: Pending<Job, Result> = {
          job,
          resolve: (result) => {
            signal.removeEventListener('abort', abandon);
            resolve(result);
          },
          reject: (error) => {
            signal.removeEventListener('abort', abandon);
            reject(error);
          },
        };
        signal.addEventListener('abort', abandon, { once: true });
        waiting.add(group, pending);
        dispatch();
      }),
    close: async () => {
      closed = true;
      for (let next = waiting.next(); next !== undefined; next = waiting.next())
        next.reject(new ProviderError('transient', `the threads of ${name} are closed`));
      for (const cancel of idle.values()) cancel();
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}
