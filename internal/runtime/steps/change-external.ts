import type { Operation } from '../changelog/change-entry.ts';
import type { ReconcileContext, Result } from '../managed/external-client.ts';
import type { Managed } from '../managed/resource.ts';
import type { Pass } from './pass.ts';

/** Asks the other side for a change, and tells the change log of it however it ended; what never began is no change. */
export async function changeExternal<R extends Managed>(
  { calls, changes }: Pass<R>,
  operation: Operation,
  call: (ctx: ReconcileContext) => Promise<Result>,
): Promise<Result> {
  let begun = false;
  try {
    const result = await calls.write(operation, (ctx) => {
      begun = true;
      return call(ctx);
    });
    const { additionalDetails } = result;
    changes.attempted(operation, additionalDetails === undefined ? {} : { additionalDetails });
    return result;
  } catch (error) {
    if (begun) changes.attempted(operation, { error });
    throw error;
  }
}
