import { messageOf } from '../../../framework/base/index.ts';

import { leftOfMoment } from './moment.ts';
import type { UnconnectedRun } from './run.ts';

/**
 * The first status of a create is of use only if users see it: it is stored while a call of this reconcile is in progress that
 * takes longer than a moment since the returned function was made: most service brokers answer a synchronous request in less, also when many
 * objects are created at once. Not more than once, and never beside another write.
 */
export function showProgress({
  status,
  context: { clock, log },
}: Pick<UnconnectedRun, 'status' | 'context'>): <T>(call: () => Promise<T>) => Promise<T> {
  const begunAt = clock.monotonic();
  let isShown = false;
  return async (call) => {
    if (isShown) return call();
    let storing: Promise<void> | undefined;
    const cancel = clock.after(Math.max(0, leftOfMoment(clock, begunAt)), () => {
      isShown = true;
      // A conflict or a lost object shows in the next write, which stores the result.
      storing = status.store().catch((error: unknown) => {
        log.debug('cannot store the progress', { error: messageOf(error) });
      });
    });
    try {
      return await call();
    } finally {
      cancel();
      await storing;
    }
  };
}
