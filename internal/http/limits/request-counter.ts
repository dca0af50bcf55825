import type { Deps } from '../../base/deps.ts';

/** Counts the requests of the last minute, by seconds. */
export interface RequestCounter {
  add(): void;
  /** In the last `spanMs`, at most a minute, rounded to whole seconds. */
  within(spanMs: number): number;
}

const SECONDS = 60;

export function createRequestCounter({ clock }: Pick<Deps, 'clock'>): RequestCounter {
  const counts = new Uint32Array(SECONDS);
  let current = 0;
  /** Moves to the current second and clears those in between. */
  const advance = () => {
    const now = Math.floor(clock.monotonic() / 1000);
    for (let second = Math.max(current + 1, now - SECONDS + 1); second <= now; second++) {
      counts[second % SECONDS] = 0;
    }
    current = now;
  };
  return {
    add: () => {
      advance();
      const index = current % SECONDS;
      counts[index] = (counts[index] ?? 0) + 1;
    },
    within: (spanMs) => {
      advance();
      const seconds = Math.min(SECONDS, Math.max(1, Math.ceil(spanMs / 1000)));
      let sum = 0;
      for (let i = 0; i < seconds; i++) sum += counts[(current - i + SECONDS) % SECONDS] ?? 0;
      return sum;
    },
  };
}
