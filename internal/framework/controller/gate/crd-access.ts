import type { Deps } from '../../base/deps.ts';
import { createBackoff } from '../../base/time/backoff.ts';
import { sleep } from '../../base/time/clock.ts';
import { canI } from '../../kube/client/access-review.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isForbidden } from '../../kube/errors/errors.ts';
import { customResourceDefinitions } from '../../kube/object/resource-type.ts';

export interface CrdAccessOptions extends Pick<Deps, 'clock'> {
  readonly client: KubeClient;
  /** Called with the missing verbs after each review that denies access. */
  readonly onDenied: (verbs: readonly string[]) => void;
  /** Called if a review fails. */
  readonly onProblem: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** The verbs that watching CRDs needs. */
const VERBS = ['get', 'list', 'watch'] as const;

/** Deadline of all reviews of one attempt, in ms. */
const TIMEOUT_MS = 30_000;

/**
 * Resolves once CRDs may be read and watched; rejects with the reason of the signal. Rights may be granted much
 * later, so the reviews repeat without end, after 1 s at first and up to 1 min.
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
