import { createHash } from 'node:crypto';
import { pollAfter, type ReconcileResult } from '../../../runtime/index.ts';
import type { UnconnectedBindingRun } from './binding-run.ts';
import { remember } from './binding-run.ts';

/** Service Manager is asked for a settled binding after this time, in ms. */
const RESYNC_MS = 10 * 3_600_000;

/** Until then, nothing is left to do. */
export const settled = (run: UnconnectedBindingRun): ReconcileResult =>
  pollAfter(Math.max(untilResync(run), 1));

/** In ms; negative: Service Manager must be asked. After a start the bindings are spread over the time. */
export function untilResync(run: UnconnectedBindingRun): number {
  const { object, context } = run;
  const now = context.clock.now();
  const known = context.memory.get()?.observedAt;
  const observedAt = known ?? now - shareOf(object.metadata.uid ?? '') * RESYNC_MS;
  if (known === undefined) remember(run, { observedAt });
  return observedAt + RESYNC_MS - now;
}

/** From 0 to 1, the same for the same text. */
const shareOf = (text: string): number => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
