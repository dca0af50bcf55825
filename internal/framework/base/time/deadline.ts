import { ProviderError } from '../errors/errors.ts';
import type { Clock } from './clock.ts';

/** A signal that aborts with `parent` or after `timeoutMs`. Must be disposed after use. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** @param doing completes the sentence `timed out after 60 s: …` */
export function withDeadline(clock: Clock, timeoutMs: number, doing: string, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const onParentAbort = () => controller.abort(parent?.reason);
  if (parent?.aborted) onParentAbort();
  parent?.addEventListener('abort', onParentAbort, { once: true });
  const cancel = clock.after(timeoutMs, () =>
    controller.abort(new ProviderError('transient', `timed out after ${timeoutMs / 1000} s: ${doing}`)),
  );
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      cancel();
      parent?.removeEventListener('abort', onParentAbort);
    },
  };
}
