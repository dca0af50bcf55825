/** Counts the outcomes of steps: the last line of a demo and its exit code. */
export interface Outcomes {
  add(outcome: 'held' | 'failed'): void;
  /** `12 steps held, 0 failed` */
  line(): string;
  /** Whether there were steps, and all of them held. */
  allHeld(): boolean;
}

export function createOutcomes(): Outcomes {
  const counts = { held: 0, failed: 0 };
  return {
    add: (outcome) => {
      counts[outcome]++;
    },
    line: () => `${counts.held} ${counts.held === 1 ? 'step' : 'steps'} held, ${counts.failed} failed`,
    allHeld: () => counts.held > 0 && counts.failed === 0,
  };
}
