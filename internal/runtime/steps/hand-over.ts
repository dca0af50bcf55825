import { conflict, type NewCondition, waiting } from '../managed/conditions.ts';
import { failures, step } from '../managed/failures.ts';
import { writesOverAfter } from '../managed/managed-kind.ts';
import { annotationExternalWriter, annotationOf } from '../managed/meta.ts';
import type { Managed } from '../managed/resource.ts';
import { lostText, reasonConflictEvent, reasonWaitingEvent, takenOverText } from '../managed/words.ts';
import { NotWriterError, type Standing } from '../managed/writers.ts';
import { type ReconcileResult, requeueAfter } from '../reconcile-result.ts';
import { managedFinalizer, stageFinalizer } from './finalizer.ts';
import { conclude, type Pass, tellWithStatus } from './pass.ts';
import { begins, isNew } from './report.ts';

/**
 * Takes the resource over where another shard had it, and ends a take-over whose time is up: one PUT
 * each. A resource that nobody has ever changed anything for is claimed by the first record of ours instead, and one
 * that is only observed not at all.
 */
export async function takeOver<R extends Managed>(pass: Pass<R>): Promise<void> {
  const { copy, key, writers, policies, signal, log } = pass;
  const standing = () => writers.standing(key, copy.object);
  pass.standing = standing();
  if (policies.onlyObserve) return;
  if (pass.standing.state === 'foreign') {
    log.debug('taking over', { from: annotationOf(copy.object, annotationExternalWriter) ?? '' });
    writers.stageTakeOver(key, copy.object);
    await copy.put(signal);
    writers.tookOver(key, copy.object);
    pass.standing = standing();
  } else if (pass.standing.state === 'settled') {
    writers.stageSettled(copy.object);
    await copy.put(signal);
    pass.standing = standing();
  }
}

/** For how long nothing may be changed on the other side, in ms; 0: it may be at once. */
export function heldFor({ standing }: { readonly standing: Standing }): number {
  return standing.state === 'held' ? standing.remainingMs : 0;
}

/** Puts off what would be changed on the other side until the former writer has ended. */
export function awaitHandOver<R extends Managed>(
  pass: Pass<R>,
  ...conditions: readonly NewCondition[]
): Promise<ReconcileResult> {
  const text = takenOverText(writesOverAfter(pass.kind));
  const synced = waiting(text);
  if (begins(pass.copy.object, synced)) tellWithStatus(pass, 'Normal', reasonWaitingEvent, text);
  return conclude(pass, requeueAfter(heldFor(pass)), ...conditions, synced);
}

/** Leaves the resource to who took it while it is selected here as well: one of the two has to be told otherwise. */
export function leaveToOther<R extends Managed>(pass: Pass<R>): Promise<ReconcileResult> {
  const text = lostText(annotationOf(pass.copy.object, annotationExternalWriter) ?? '');
  const synced = conflict(text);
  if (isNew(pass.copy.object, synced)) tellWithStatus(pass, 'Warning', reasonConflictEvent, text);
  return conclude(pass, pass.poll(), synced);
}

/** Has the next PUT hold the resource by the finalizer and, if nobody did before, name who may change its other side. */
export function stageHold<R extends Managed>({ copy, standing, writers }: Pass<R>): void {
  stageFinalizer(copy, managedFinalizer);
  if (standing.state === 'unclaimed') writers.stage(copy.object);
}

/**
 * Reads the resource afresh right before a change: it must be as this reconcile knows it. So it is still this process's,
 * and nobody has paused it, changed what it asks for, or changed what its deletion means.
 */
export async function proveWriter<R extends Managed>({ calls, copy, signal }: Pass<R>): Promise<void> {
  await step(failures.proveWriter, () =>
    calls.prove(async () => {
      if (await copy.isCurrent(signal)) return;
      throw new NotWriterError('the managed resource was changed since it was read');
    }),
  );
}
