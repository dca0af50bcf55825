import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { campaign, progressOf } from '../campaign.ts';
import type { CampaignModule, KnownViolation, Violation } from './campaign-module.ts';
import { runActions } from './run-actions.ts';

export interface CampaignTestsOptions<A> {
  /** Violations that exist today. */
  readonly known?: readonly KnownViolation<A>[];
  /** Of the short campaign, which is always alike; `FAULTS_SEED` and `FAULTS_RUNS` replace it. */
  readonly seed: number;
  /** Most actions of a run. Default 25. */
  readonly maxActions?: number;
}

/** Runs of the short campaign. */
const SHORT_RUNS = 20;
/** A run and its comparison, even on a busy machine. */
const RUN_MS = 20_000;
/** How long a failure is made smaller. Not at all where it is only looked for (hack/guards/plant). */
const SHRINK_MS = process.env.CAMPAIGN_SHRINK === 'never' ? 0 : 120_000;

/** Declares the tests of a module: random actions, and its known violations. */
export function campaignTests<A>(
  module: CampaignModule<A>,
  { known = [], seed: shortSeed, maxActions = 25 }: CampaignTestsOptions<A>,
): void {
  const chosen = campaign({ seed: shortSeed, runs: SHORT_RUNS });
  const { seed, runs } = chosen;
  const isKnown = ({ invariant, what }: Violation) =>
    known.some((entry) => entry.invariant === invariant && entry.what.test(what));

  describe(`campaign of ${module.name}`, () => {
    test(
      `no invariant is violated (seed ${seed}, ${runs} runs)`,
      async () => {
        const actions = fc.array(module.action, { minLength: 3, maxLength: maxActions, size: 'max' });
        const progress = progressOf(`campaign of ${module.name}`, chosen);
        let failedAt: number | undefined;
        const holds = fc.asyncProperty(actions, async (given) => {
          // What is left to make a failure smaller passes: the smallest failure so far is reported.
          if (failedAt !== undefined && performance.now() - failedAt > SHRINK_MS) return;
          const found = (await runActions(module, given)).filter((violation) => !isKnown(violation));
          progress();
          if (found.length === 0) return;
          failedAt ??= performance.now();
          throw new Error(found.map(({ invariant, what }) => `${invariant}: ${what}`).join('\n'));
        });
        await fc.assert(holds, { seed, numRuns: runs });
      },
      runs * RUN_MS + 2 * SHRINK_MS,
    );

    if (known.length === 0) return;
    test.each(known.map((entry) => ({ ...entry, title: `${entry.invariant}: ${entry.reason}` })))(
      'known since $since, to be removed from the list when it no longer happens: $title',
      async ({ invariant, what, actions }) => {
        const found = await runActions(module, actions);
        const texts = found.filter((each) => each.invariant === invariant).map((each) => each.what);
        expect(texts.filter((text) => what.test(text))).not.toEqual([]);
      },
    );
  });
}
