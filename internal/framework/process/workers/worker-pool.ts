import { deserialize } from 'node:v8';
import type { Deps } from '../../base/deps.ts';
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import { createLongJobs } from './long-jobs.ts';
import { createTurns } from './turns.ts';
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts';

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
  /** The URL of the module that calls `serveJobs`. Asked when a process is started. */
  readonly entry: () => Promise<string>;
  /** Processes. Default 1. */
  readonly size?: number;
  /** Jobs of one group at the same time. Default `size`; fewer leave a process for others. */
  readonly perGroup?: number;
  /**
   * Jobs up to this time, in ms, are short. A group whose jobs took longer lately leaves one of several processes to others, and a job
   * that is no longer short makes room for one that has waited for half of this time, if its group took less; it is done again later.
   * Default: no job makes room.
   */
  readonly shortMs?: number;
  /** Time of one job, in ms; then it is ended with its process. Default 1000. */
  readonly deadlineMs?: number;
  /** Heap of a process, in MiB; a job that needs more is ended with its process. Default 64. */
  readonly heapMb?: number;
  /**
   * All memory that a process has for itself, in MiB, with buffers and some 25 MiB of Node: a job that needs more is ended with its
   * process, where the system says what it has (Linux). Default 64 more than `heapMb`.
   */
  readonly memoryMb?: number;
  /** Of a result as it is sent between processes, in bytes. Default 4 MiB. */
  readonly maxResultBytes?: number;
  /** An idle process ends after this time, in ms. Default 30000. */
  readonly idleMs?: number;
}

/**
 * Runs work in other processes, because others choose how long it takes and how much memory it needs. Processes are started when there
 * are jobs. A job that takes too long, or too much memory, ends with its process;
 * one that takes too much memory in a process that has done others is done again in a new one.
 */
export interface WorkerPool<Job, Result> {
  /**
   * @param group jobs of one group wait behind each other, and groups take turns: a tenant delays others by one job at most
   * @throws WorkerStoppedError, the signal's reason once the job has ended, an error of kind `bug` if the job throws
   */
  run(job: Job, options: { readonly group: string; readonly signal: AbortSignal }): Promise<Result>;
  /** Ends all processes. Jobs that wait or run are rejected. */
  close(): Promise<void>;
}

interface Pending<Job, Result> {
  readonly group: string;
  readonly job: Job;
  /** When it began to wait, by the monotonic clock. */
  since: number;
  /** How often it had to make room. */
  putBack: number;
  /** How often it exceeded the memory of a process that had done others. */
  crowded: number;
  abandoned?: { readonly reason: unknown };
  /** Ends its process. Undefined while it waits. */
  stop?: (() => void) | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** To load the code of a job, on a busy machine. */
const START_MS = 30_000;

export function createWorkerPool<Job, Result>(options: WorkerPoolOptions): WorkerPool<Job, Result> {
  const { clock, name, entry, size = 1, deadlineMs = 1000, heapMb = 64, idleMs = 30_000 } = options;
  const { maxResultBytes = 4 * 1024 * 1024, memoryMb = heapMb + 64, perGroup = size } = options;
  const { shortMs = Number.POSITIVE_INFINITY } = options;
  const long = createLongJobs({ clock, shortMs });
  const running = new Set<Pending<Job, Result>>();
  const count = (isOne: (group: string) => boolean) =>
    [...running].reduce((sum, { group }) => sum + (isOne(group) ? 1 : 0), 0);
  const slotsOf = (group: string): number => {
    if (closed) return Number.POSITIVE_INFINITY;
    // One process is for those whose jobs are short.
    if (size > 1 && long.isHeavy(group) && count(long.isHeavy) >= size - 1) return 0;
    return perGroup - count((other) => other === group);
  };
  const waiting = createTurns<Pending<Job, Result>>(slotsOf, long.time);
  /** Those without a job, with the end of their time. */
  const idle = new Map<WorkerProcess, () => void>();
  const all = new Set<WorkerProcess>();
  let starting = 0;
  let closed = false;
  let cancelLook: (() => void) | undefined;

  const rest = (worker: WorkerProcess) => {
    const cancel = clock.after(idleMs, () => {
      idle.delete(worker);
      all.delete(worker);
      void worker.end();
    });
    idle.set(worker, cancel);
  };
  const perform = async (worker: WorkerProcess, pending: Pending<Job, Result>) => {
    const { job, group, resolve, reject, putBack } = pending;
    running.add(pending);
    pending.stop = () => void worker.end();
    const time = long.began(group);
    const goesOn = () => pending.abandoned === undefined && !closed;
    const isPutBack = () => pending.putBack > putBack && goesOn();
    let settle: () => void;
    try {
      const answer = await worker.ask(job, deadlineMs);
      if ('thrown' in answer) {
        const error = new ProviderError('bug', `a job of ${name} failed: ${answer.thrown}`);
        settle = () => reject(error);
      } else if ('tooLarge' in answer) {
        const text = `a job of ${name} had a result of ${answer.tooLarge} bytes; the limit is ${maxResultBytes}`;
        settle = () => reject(new WorkerStoppedError('result', text));
      } else {
        const result: Result = deserialize(answer.result);
        settle = () => resolve(result);
      }
    } catch (error) {
      // What jobs before it left there counts as well. Each attempt ends one such process, and there are `size`.
      const isOfMemory = error instanceof WorkerStoppedError && error.limit === 'memory';
      const isCrowded = isOfMemory && worker.jobs > 1 && pending.crowded++ < size;
      settle = () => {
        if (isPutBack() || (isCrowded && goesOn())) waiting.add(group, pending);
        else reject(pending.abandoned === undefined ? error : pending.abandoned.reason);
      };
    }
    pending.stop = undefined;
    if (worker.ended) {
      // Until it has ended it counts, and writes: a call of V8 itself cannot be interrupted.
      await worker.end();
      all.delete(worker);
    } else rest(worker);
    running.delete(pending);
    time.end(isPutBack());
    pending.since = clock.monotonic();
    settle();
    dispatch();
  };
  const start = async () => {
    starting++;
    try {
      const worker = await startWorkerProcess({
        clock,
        url: await entry(),
        heapMb,
        memoryMb,
        maxResultBytes,
        startMs: START_MS,
        late: (ms) =>
          new WorkerStoppedError('time', `a job of ${name} took longer than ${ms} ms and was ended`),
        tooLarge: () =>
          new WorkerStoppedError('memory', `a job of ${name} needed more than ${heapMb} MiB and was ended`),
        gone: () => new ProviderError('transient', `the process of ${name} has ended`),
      });
      if (closed) await worker.end();
      else {
        all.add(worker);
        rest(worker);
      }
    } catch (error) {
      const why = new ProviderError('transient', `cannot start the process of ${name}: ${messageOf(error)}`);
      waiting.next()?.reject(why);
    }
    starting--;
    dispatch();
  };
  const dispatch = () => {
    for (const [worker, cancel] of idle) {
      if (worker.ended) {
        // It died without a job, and would not answer.
        idle.delete(worker);
        all.delete(worker);
        cancel();
        continue;
      }
      const next = waiting.next();
      if (next === undefined) return;
      idle.delete(worker);
      cancel();
      void perform(worker, next);
    }
    if (waiting.size() > starting && all.size + starting < size && !closed) void start();
    else if (all.size === size) makeRoom();
  };
  /** For the next one that waits, in the process of the group that took the most time. */
  const makeRoom = () => {
    cancelLook?.();
    cancelLook = undefined;
    const next = waiting.peek();
    if (next === undefined || shortMs === Number.POSITIVE_INFINITY || running.size < size) return;
    const waited = clock.monotonic() - next.since;
    const least = 2 * long.time(next.group);
    let most: Pending<Job, Result> | undefined;
    for (const each of running) {
      // A job that was put back often may run to its end: otherwise none would ever end.
      if (each.stop === undefined || waited < (shortMs / 2) * 2 ** each.putBack) continue;
      if (long.time(each.group) > Math.max(least, long.time(most?.group ?? next.group))) most = each;
    }
    if (most === undefined) cancelLook = clock.after(shortMs / 4, makeRoom);
    else {
      most.putBack++;
      most.stop?.();
    }
  };

  return {
    run: (job, { group, signal }) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new ProviderError('transient', `the processes of ${name} are closed`));
        if (signal.aborted) return reject(signal.reason);
        const abandon = () => {
          pending.abandoned = { reason: signal.reason };
          pending.stop?.();
          if (running.has(pending)) return;
          waiting.remove(group, pending);
          reject(signal.reason);
        };
        const pending: Pending<Job, Result> = {
          job,
          group,
          since: clock.monotonic(),
          putBack: 0,
          crowded: 0,
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
      cancelLook?.();
      for (let next = waiting.next(); next !== undefined; next = waiting.next())
        next.reject(new ProviderError('transient', `the processes of ${name} are closed`));
      for (const cancel of idle.values()) cancel();
      await Promise.all([...all].map((worker) => worker.end()));
    },
  };
}
