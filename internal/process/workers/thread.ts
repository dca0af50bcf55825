import { Worker } from 'node:worker_threads';
import type { Clock } from '../../base/time/clock.ts';
import type { Answer, WorkerData } from './serve-jobs.ts';

/** One thread that answers one job at a time. */
export interface Thread {
  /**
   * Sends the job and resolves with the answer. Whatever else happens ends the thread: `ended` is true then.
   *
   * @throws what `late` returns, after the time; the error of the thread
   */
  ask(job: unknown, ms: number): Promise<Answer>;
  readonly ended: boolean;
  end(): Promise<void>;
}

export interface ThreadOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** The module that calls `serveJobs`. */
  readonly url: string;
  readonly heapMb: number;
  readonly maxResultBytes: number;
  /** Time to load the module, in ms. */
  readonly startMs: number;
  readonly late: (ms: number) => Error;
  readonly tooLarge: () => Error;
  readonly gone: () => Error;
}

/** Resolves when the thread takes jobs. */
export async function startThread(options: ThreadOptions): Promise<Thread> {
  const { clock, url, heapMb, maxResultBytes, startMs, late, tooLarge, gone } = options;
  const workerData: WorkerData = { entry: url, maxResultBytes };
  const worker = new Worker(new URL(url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    // It may have secrets, and a job needs none.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  let ended = false;
  /** The job that is waited for. */
  let settle: ((answer: Answer | Error) => void) | undefined;
  const end = async () => {
    ended = true;
    settle?.(gone());
    // Also if the thread is in an endless loop.
    await worker.terminate();
  };
  const fail = (error: Error) => {
    settle?.(error);
    void end();
  };
  worker.on('message', (answer: Answer) => settle?.(answer));
  worker.on('error', (error: NodeJS.ErrnoException) =>
    fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge() : error),
  );
  worker.on('exit', () => fail(gone()));
  const answerWithin = (ms: number) =>
    new Promise<Answer>((resolve, reject) => {
      const cancel = clock.after(ms, () => fail(late(ms)));
      settle = (answer) => {
        settle = undefined;
        cancel();
        if (answer instanceof Error) reject(answer);
        else resolve(answer);
      };
    });
  await answerWithin(startMs);
  return {
    ask: (job, ms) => {
      const answer = answerWithin(ms);
      worker.postMessage(job);
      return answer;
    },
    get ended() {
      return ended;
    },
    end,
  };
}
