import type { Deps } from '../../base/deps.ts';

/**
 * The rate of an API that refuses again and again at the same rate. One refusal shows no rate: others may share the limit, or it may
 * be that of a moment.
 */
export interface LearnedRate {
  /** The time between requests in ms; zero: no rate is known. */
  intervalMs(): number;
  sent(): void;
  answered(): void;
  /** @param pausedUntil the end of the pause that follows, in ms of the monotonic clock */
  refused(pausedUntil: number): void;
}

/** Fewer answers between two refusals show no rate. */
const MIN_ANSWERS = 5;
/** After a longer time between two refusals the requests were not at the limit all the time. */
const MAX_CYCLE_MS = 10 * 60_000;
/** Rates are the same up to this factor. */
const SAME = 1.25;
/** The first rate after a refusal, as a share of the one that was learned. */
const SHARE = 0.95;
/** Cycles without a refusal after which the rate is forgotten. */
const FORGOTTEN_AFTER = 5;

/**
 * A cycle goes from the end of one pause to the end of the next. Two cycles with the same rate of answers are a limit, whether it counts
 * in fixed or in sliding windows. Requests are then spread evenly, at first slightly below the limit, and soon above it:
 * the rate grows faster with each cycle, by 9 % in the first and to the double in the third.
 */
export function createLearnedRate({ clock }: Pick<Deps, 'clock'>): LearnedRate {
  let cycle: { readonly since: number; answers: number } | undefined;
  /** In requests per ms. */
  let last: number | undefined;
  let learned: { readonly perMs: number; readonly since: number; readonly cycleMs: number } | undefined;
  return {
    intervalMs: () => {
      if (learned === undefined) return 0;
      const cycles = Math.max(0, clock.monotonic() - learned.since) / learned.cycleMs;
      if (cycles < FORGOTTEN_AFTER) return 1 / (learned.perMs * SHARE * 2 ** (cycles ** 2 / 8));
      learned = undefined;
      return 0;
    },
    sent: () => {
      cycle ??= { since: clock.monotonic(), answers: 0 };
    },
    answered: () => {
      if (cycle !== undefined) cycle.answers++;
    },
    refused: (pausedUntil) => {
      const { since = pausedUntil, answers = 0 } = cycle ?? {};
      const cycleMs = pausedUntil - since;
      const isKnown = answers >= MIN_ANSWERS && cycleMs <= MAX_CYCLE_MS;
      const perMs = isKnown ? answers / cycleMs : undefined;
      learned =
        perMs !== undefined && last !== undefined && Math.max(perMs / last, last / perMs) < SAME
          ? { perMs, since: pausedUntil, cycleMs }
          : undefined;
      last = perMs;
      cycle = { since: pausedUntil, answers: 0 };
    },
  };
}
