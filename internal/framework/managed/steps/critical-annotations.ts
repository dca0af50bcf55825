import type { Deps } from '../../base/deps.ts';
import { wrap } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import { sleep } from '../../base/time/clock.ts';
import type { WithStatus, WorkingCopy } from '../../controller/reconcile/working-copy.ts';
import { isConflict } from '../../kube/errors/errors.ts';

const ATTEMPTS = 5;
const PAUSE_MS = 10;

export interface CriticalAnnotationsOptions extends Pick<Deps, 'clock' | 'random'> {
  readonly signal: AbortSignal;
}

/**
 * Stores the annotations set in memory, with retries (`RetryingCriticalAnnotationUpdater` in crossplane-runtime): the
 * result of Create is stored nowhere else. After a conflict they are set on the newest version, and annotations that
 * others changed stay.
 */
export async function storeCriticalAnnotations<T extends WithStatus>(
  copy: WorkingCopy<T>,
  { clock, random, signal }: CriticalAnnotationsOptions,
): Promise<void> {
  const critical = copy.changedAnnotations();
  for (let attempt = 1; ; attempt++) {
    try {
      await copy.put(signal);
      return;
    } catch (error) {
      const failure = isConflict(error) ? ((await takeNewest(copy, critical, signal)) ?? error) : error;
      if (signal.aborted || attempt === ATTEMPTS) throw wrap(failure, 'cannot update critical annotations');
    }
    await sleep(clock, jitter(PAUSE_MS, 0.1, random), signal);
  }
}

/** As `storeCriticalAnnotations`, if any was set. */
export async function storeSetAnnotations<T extends WithStatus>(
  copy: WorkingCopy<T>,
  options: CriticalAnnotationsOptions,
): Promise<void> {
  if (Object.keys(copy.changedAnnotations()).length > 0) await storeCriticalAnnotations(copy, options);
}

/** Returns the error if the newest version cannot be read. */
async function takeNewest<T extends WithStatus>(
  copy: WorkingCopy<T>,
  critical: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    await copy.refresh(signal);
  } catch (error) {
    return error;
  }
  copy.object.metadata.annotations = { ...copy.object.metadata.annotations, ...critical };
  return undefined;
}
