import type { Deps } from '../../base/deps.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import { sleep } from '../../base/time/clock.ts';
import { canI } from '../../kube/client/access-review.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isForbidden } from '../../kube/errors/errors.ts';
import { customResourceDefinitions } from '../../kube/object/resource-type.ts';

export interface CrdAccessOptions extends Pick<Deps, 'clock'> {
  readonly client: KubeClient;
  /** Told of each answer that is a no, with the verbs that are not allowed. */
  readonly onDenied: (verbs: readonly string[]) => void;
  /** There was no answer. */
  readonly onProblem: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** What following CRDs takes (managed-framework §8, duty 1). */
const VERBS = ['get', 'list', 'watch'] as const;

/** All questions together, in ms. */
const TIMEOUT_MS = 30_000;

/**
 * Resolves once CRDs may be read and watched; rejects with the signal's reason. Rights may come long after the
 * provider, so the question is asked for ever, after 1 s first and every minute in the end.
 */
export async function untilCrdsAreAllowed(options: CrdAccessOptions): Promise<void> {
  const { clock, signal } = options;
  const backoff = createBackoff();
  for (;;) {
    signal.throwIfAborted();
    try {
      const denied = await deniedVerbs(options);
      if (denied.length === 0) return;
      options.onDenied(denied);
    } catch (error) {
      signal.throwIfAborted();
      if (isForbidden(error)) options.onDenied(VERBS);
      else options.onProblem(error);
    }
    await sleep(clock, backoff.next('question'), signal);
  }
}

async function deniedVerbs({ client, signal }: CrdAccessOptions): Promise<string[]> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const answers = await Promise.all(
    VERBS.map(async (verb) => {
      const { allowed } = await canI(client, { verb, type: customResourceDefinitions }, { signal: ended });
      return allowed ? [] : [verb];
    }),
  );
  return answers.flat();
}
