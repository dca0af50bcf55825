import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../base/time/clock.ts';
import type { Answer } from './serve-jobs.ts';

/** One process that answers one job at a time. */
export interface WorkerProcess {
  /**
   * Sends the job and resolves with the answer. Whatever else happens ends the process: `ended` is true then.
   *
   * @throws what `late` returns, after the time; what `tooLarge` returns, beyond a limit of memory; else what `gone` returns
   */
  ask(job: unknown, ms: number): Promise<Answer>;
  readonly ended: boolean;
  /** Jobs that it was sent, the one in progress too. */
  readonly jobs: number;
  end(): Promise<void>;
}

export interface WorkerProcessOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** The module that calls `serveJobs`. */
  readonly url: string;
  readonly heapMb: number;
  readonly memoryMb: number;
  readonly maxResultBytes: number;
  /** Time to load the module, in ms. */
  readonly startMs: number;
  readonly late: (ms: number) => Error;
  readonly tooLarge: () => Error;
  readonly gone: () => Error;
}

/** Between two looks at the memory of a process with a job, in ms. */
const MEMORY_EVERY_MS = 20;
/** V8 ends a process that needs more than its heap by this signal. */
const OUT_OF_HEAP = 'SIGABRT';
const MIB = 1024 * 1024;

/**
 * Resolves when the process takes jobs. It is no thread: V8 ends the whole process if a thread allocates one large object beyond its
 * limit, and does not count buffers.
 */
export async function startWorkerProcess(options: WorkerProcessOptions): Promise<WorkerProcess> {
  const { clock, url, memoryMb, maxResultBytes, startMs, late, tooLarge, gone } = options;
  // Most programs start none.
  const { fork } = await import('node:child_process');
  const child = fork(fileURLToPath(url), [url, String(maxResultBytes)], {
    execArgv: flagsOf(options),
    // It may have secrets, and a job needs none.
    env: environment(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    // It could not be started.
    child.once('error', () => resolve());
  });
  let ended = false;
  let jobs = 0;
  /** The job that is waited for. */
  let settle: ((answer: Answer | Error) => void) | undefined;
  const end = async () => {
    ended = true;
    settle?.(gone());
    // Also if it is in an endless loop.
    child.kill('SIGKILL');
    await exited;
  };
  const fail = (error: Error) => {
    settle?.(error);
    void end();
  };
  child.on('message', (answer: Answer) => settle?.(answer));
  child.on('error', () => fail(gone()));
  child.on('exit', (_code, signal) => fail(signal === OUT_OF_HEAP ? tooLarge() : gone()));
  const answerWithin = (ms: number) =>
    new Promise<Answer>((resolve, reject) => {
      const cancel = clock.after(ms, () => fail(late(ms)));
      const stopWatching = watchMemory(child, memoryMb * MIB, () => fail(tooLarge()));
      settle = (answer) => {
        settle = undefined;
        cancel();
        stopWatching();
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
    });
  await answerWithin(startMs);
  return {
    ask: (job, ms) => {
      jobs++;
      const answer = answerWithin(ms);
      child.send(job as object);
      return answer;
    },
    get ended() {
      return ended;
    },
    get jobs() {
      return jobs;
    },
    end,
  };
}

const flagsOf = ({ heapMb }: WorkerProcessOptions): string[] => [
  `--max-old-space-size=${heapMb}`,
  '--max-semi-space-size=4',
  // In KiB. Values are nested deeper than the default allows.
  '--stack-size=3900',
];

/** The time zone alone, which functions of templates read. */
function environment(): Record<string, string> {
  const { TZ } = process.env;
  return TZ === undefined ? {} : { TZ };
}

/** Looks at the memory now and then, by the time of the system: it grows whatever the clock of a test says. */
function watchMemory({ pid }: ChildProcess, maxBytes: number, onExceeded: () => void): () => void {
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking || pid === undefined) return;
    isLooking = true;
    const bytes = await ownMemory(pid);
    isLooking = false;
    if (bytes > maxBytes) onExceeded();
  }, MEMORY_EVERY_MS);
  return () => clearInterval(timer);
}

/** Bytes that belong to the process alone: heap, buffers, stacks. 0 where the system does not say. */
async function ownMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  return Number(/^RssAnon:\s*(\d{1,15}) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}
