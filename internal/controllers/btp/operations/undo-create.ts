import { kindOf, messageOf } from '../../../base/errors/errors.ts';
import { sleep } from '../../../base/time/clock.ts';
import type { ReconcileResult } from '../../../controller/index.ts';
import { isNotFound } from '../../../kube/index.ts';
import { type Run, writeOptions } from './run.ts';

/** Attempts to delete a resource whose object is gone, and the pause between them in ms. */
const ATTEMPTS = 5;
const PAUSE_MS = 500;

/**
 * Runs the steps of a create, and deletes its resource if the object is gone afterwards: the API server can begin a deletion
 * before it stores our finalizer, and complete it afterwards. Nothing else remembers the resource. A failure is repeated a few
 * times; then the log names what may be left.
 */
export async function undoingIfGone(
  run: Run,
  create: () => Promise<ReconcileResult>,
): Promise<ReconcileResult> {
  try {
    return await create();
  } catch (error) {
    if (run.created.sent && !run.context.signal.aborted && (await isGone(run))) await undo(run);
    throw error;
  }
}

/** An object of the same name that was created meanwhile adopts the resource. */
async function isGone({ copy, context }: Run): Promise<boolean> {
  try {
    await copy.refresh(context.signal);
    return false;
  } catch (error) {
    return isNotFound(error) && kindOf(error) === 'not-found';
  }
}

async function undo(run: Run): Promise<void> {
  const { object, external, context } = run;
  const { clock, signal, log } = context;
  const { kind } = object;
  for (let attempt = 1; ; attempt++) {
    try {
      const found = external.id() === '' ? await external.find() : [{ id: external.id() }];
      for (const { id } of found) {
        await external.delete(id, writeOptions(run));
        log.info(`deleted what was created for a ${kind} that is gone`, { id });
      }
      return;
    } catch (error) {
      if (attempt === ATTEMPTS) {
        const details = { id: external.id() || 'unknown', cause: messageOf(error) };
        return log.error(`cannot delete what was created for a ${kind} that is gone`, details);
      }
    }
    await sleep(clock, PAUSE_MS, signal);
  }
}
