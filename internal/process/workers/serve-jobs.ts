import { serialize } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';

/** What a thread of a pool gets. */
export interface WorkerData {
  /** The URL of its module. */
  readonly entry: string;
  /** Of a result as it is sent, in bytes. */
  readonly maxResultBytes: number;
}

/** The answer to a job: its result, serialized by V8. The first answer says that the thread is ready. */
export type Answer =
  | { readonly result: Uint8Array }
  | { readonly tooLarge: number }
  | { readonly thrown: string };

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
  const answerOf = (job: Job): Answer => {
    try {
      const result = serialize(perform(job));
      return result.length > given.maxResultBytes ? { tooLarge: result.length } : { result };
    } catch (error) {
      return { thrown: error instanceof Error ? error.name : typeof error };
    }
  };
  port.on('message', (job: Job) => port.postMessage(answerOf(job)));
  const ready: Answer = { result: new Uint8Array() };
  port.postMessage(ready);
}
