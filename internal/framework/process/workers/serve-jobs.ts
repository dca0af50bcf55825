import { serialize } from 'node:v8';

/** The answer to a job: its result, serialized by V8. The first answer says that the process is ready. */
export type Answer =
  | { readonly result: Uint8Array }
  | { readonly tooLarge: number }
  | { readonly thrown: string };

/**
 * Called by the module of a pool with its own URL. In a process of a pool it answers jobs, one after another; anywhere else it does
 * nothing, so that the pool can import the module to know its URL.
 *
 * @param load loads the code of the jobs. A job that throws is a bug: only the name of its error is reported
 */
export async function serveJobs<Job, Result>(
  entry: string,
  load: () => Promise<(job: Job) => Result | Promise<Result>>,
): Promise<void> {
  const [, , module, bytes] = process.argv;
  const send = process.send?.bind(process);
  if (send === undefined || module !== entry) return;
  const maxResultBytes = Number(bytes);
  // The program that gives jobs has ended.
  process.once('disconnect', () => process.exit());
  const perform = await load();
  const answerOf = async (job: Job): Promise<Answer> => {
    try {
      const result = serialize(await perform(job));
      return result.length > maxResultBytes ? { tooLarge: result.length } : { result };
    } catch (error) {
      return { thrown: error instanceof Error ? error.name : typeof error };
    }
  };
  process.on('message', async (job: Job) => send(await answerOf(job)));
  const ready: Answer = { result: new Uint8Array() };
  send(ready);
}
