import { kindOf, messageOf } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import type { LogFields } from '../../base/telemetry/telemetry.ts';
import { sleep } from '../../base/time/clock.ts';
import { isNotFound } from '../../kube/errors/errors.ts';
import type { ReconcilerContext } from './reconciler.ts';
import { GoneError } from './store-status.ts';
import type { WithStatus, WorkingCopy } from './working-copy.ts';

/** Attempts to delete an external resource without an object, and the pause between them in ms. */
const ATTEMPTS = 5;
const PAUSE_MS = 500;

/** Deletes what a create of this reconcile has made, or may have made. */
export interface UndoCreate {
  /** Whether the object's deletion policy deletes the external resource with it. */
  readonly isAllowed: () => boolean;
  readonly remove: () => Promise<void>;
  /** Identifies for the log what may be left; called after the last attempt. */
  readonly describe: () => LogFields;
}

/**
 * Runs steps with a create, and undoes the create if the object is gone afterwards: the API server can begin a deletion
 * before it stores our finalizer, and complete it afterwards. Nothing else remembers the external resource. A failure is
 * repeated a few times; then the log names what may be left.
 */
export async function undoingIfGone<T extends WithStatus, R>(
  copy: WorkingCopy<T>,
  context: ReconcilerContext,
  steps: () => Promise<R>,
  undo: UndoCreate,
): Promise<R> {
  try {
    return await steps();
  } catch (error) {
    if (context.guard.createSent() && (await isGone(copy, context, error)) && undo.isAllowed())
      await removeWithRetries(undo, context);
    throw error;
  }
}

/** An object of the same name that was created meanwhile is another one, which adopts the external resource. */
async function isGone<T extends WithStatus>(
  copy: WorkingCopy<T>,
  { signal }: ReconcilerContext,
  error: unknown,
): Promise<boolean> {
  if (error instanceof GoneError) return true;
  if (signal.aborted) return false;
  try {
    await copy.refresh(signal);
    return false;
  } catch (cause) {
    return isNotFound(cause) && kindOf(cause) === 'not-found';
  }
}

async function removeWithRetries(
  { remove, describe }: UndoCreate,
  { clock, random, signal, log }: ReconcilerContext,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await remove();
      return log.info('deleted what was created for an object that is gone', describe());
    } catch (error) {
      // Another object describes it, and keeps it.
      if (kindOf(error) === 'contested') return;
      if (attempt === ATTEMPTS || signal.aborted) {
        const fields = { ...describe(), error: messageOf(error) };
        return log.error('an external resource may be left without its object', fields);
      }
    }
    // A stop ends the pause; the next attempt fails at once, and says what is left.
    await sleep(clock, jitter(PAUSE_MS, 0.1, random), signal).catch(() => undefined);
  }
}
