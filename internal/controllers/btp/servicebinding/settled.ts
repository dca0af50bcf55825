import { createHash } from 'node:crypto';
import { pollAfter, type ReconcileResult, requeueAfter } from '../../../controller/index.ts';
import { succeededOf } from '../status/conditions.ts';
import { remember, type UnconnectedBindingRun } from './binding-run.ts';
import { rotationAction } from './rotation/rotate.ts';
import { expiresAt, rotationDueAt } from './rotation/rotation-policy.ts';

/** Service Manager is asked for a settled binding after this time, in ms. */
const RESYNC_MS = 10 * 3_600_000;

/** Until then, nothing is left to do: Service Manager must be asked, a rotation is due, or a replaced binding expires. */
export function settled(run: UnconnectedBindingRun): ReconcileResult {
  // A rotation became due while the binding could not be rotated, or its new credentials are there.
  if (succeededOf(run.object)?.status === 'True' && rotationAction(run) !== undefined) return requeueAfter(0);
  const now = run.context.clock.now();
  const dates = [rotationDueAt(run.object), expiresAt(run.object)].flatMap((at) => at ?? []);
  // What is overdue had no effect: something else is awaited, e.g. an instance that can be used.
  const waits = [untilResync(run), ...dates.map((at) => at - now)].filter((waitMs) => waitMs > 0);
  return pollAfter(Math.max(Math.min(RESYNC_MS, ...waits), 1));
}

/** In ms; negative: Service Manager must be asked. After a start the bindings are spread over the time. */
export function untilResync(run: UnconnectedBindingRun): number {
  const { object, context } = run;
  const now = context.clock.monotonic();
  const known = context.memory.get()?.observedAt;
  const observedAt = known ?? now - shareOf(object.metadata.uid ?? '') * RESYNC_MS;
  if (known === undefined) remember(run, { observedAt });
  return observedAt + RESYNC_MS - now;
}

/** From 0 to 1, the same for the same text. */
const shareOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
