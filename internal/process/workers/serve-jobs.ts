import { parentPort, workerData } from 'node:worker_threads';

/** What a thread of a pool gets. */
export interface WorkerData {
  /** The URL of its module. */
  readonly entry: string;
}

/** The answer to a job. The first one says that the thread is ready, and has no value. */
export type Answer<Result> = { readonly value: Result } | { readonly thrown: string };

/**
 * Called by the module of a pool with its own URL. In the thread of a pool it answers jobs, one after another; anywhere else it does
 * nothing, so that the pool can import the module to know its URL.
 *
 * @param load loads the code of the jobs. A job that throws is a bug: only the name of its error is reported
 */
export async function serveJobs<Job, Result>(
  entry: string,
  load: () => Promise<(job: Job) => Result>,
): Promise<void> {
  const given = workerData as WorkerData | null;
  if (parentPort === null || given?.entry !== entry) return;
  const port = parentPort;
  const perform = await load();
  const answerOf = (job: Job): Answer<Result> => {
    try {
      return { value: perform(job) };
    } catch (error) {
      return { thrown: error instanceof Error ? error.name : typeof error };
    }
  };
  port.on('message', (job: Job) => port.postMessage(answerOf(job)));
  const ready: Answer<undefined> = { value: undefined };
  port.postMessage(ready);
}
