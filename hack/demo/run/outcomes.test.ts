import { expect, test } from '@jest/globals';
import { createOutcomes } from './outcomes.ts';

type Ends = readonly ('held' | 'failed')[];

const table: { ends: Ends; line: string; allHeld: boolean; reason: string }[] = [
  { ends: [], line: '0 steps held, 0 failed', allHeld: false, reason: 'nothing shown is nothing proved' },
  { ends: ['held'], line: '1 step held, 0 failed', allHeld: true, reason: 'one is enough' },
  { ends: ['held', 'held'], line: '2 steps held, 0 failed', allHeld: true, reason: 'all of them' },
  {
    ends: ['held', 'failed', 'held'],
    line: '2 steps held, 1 failed',
    allHeld: false,
    reason: 'later successes do not undo a failure',
  },
];

test.each(table)('$ends counts as $line: $reason', ({ ends, line, allHeld }) => {
  const outcomes = createOutcomes();
  for (const end of ends) outcomes.add(end);

  expect(outcomes.line()).toBe(line);
  expect(outcomes.allHeld()).toBe(allHeld);
});
