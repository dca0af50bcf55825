/**
 * Non-interference: what one tenant waits for beside hostile ones, at most `factor` times of what it waits alone, and one turn. What tenants
 * share is a row: how long one of them waits while others have `hostile` requests each, on a fake clock or in turns.
 */
import { expect, test } from '@jest/globals';
import { setUp } from '../../internal/base/concurrency/concurrency-limiter.fixture.ts';
import { createTurns } from '../../internal/process/workers/turns.ts';

interface Shared {
  readonly name: string;
  /** Of the wait alone. One turn of the others is added: they have begun. */
  readonly factor: number;
  /** How many requests of all end before the ten of one tenant have started. */
  readonly wait: (hostile: number) => number;
}

const OTHERS = ['b', 'c', 'd'];
const OWN = 10;

const SHARED: readonly Shared[] = [
  {
    name: 'the slots of a controller',
    // Tenants take turns: with three others, each start of the one may follow one of each.
    factor: OTHERS.length + 1,
    wait: (hostile) => {
      const { add, end, running } = setUp({ capacity: 1, slots: 1 });
      for (let n = 0; n < hostile; n++) for (const name of OTHERS) add(`${name} ${n}`, { on: [name] });
      for (let n = 0; n < OWN; n++) add(`a ${n}`, { on: ['a'] });
      return endsUntil(OWN, () => {
        const [key] = running();
        if (key !== undefined) end(key);
        return key;
      });
    },
  },
  {
    name: 'the low-priority slots of a controller',
    factor: 1,
    wait: (hostile) => {
      const { add, end, running } = setUp({ capacity: 2, slots: 1, lowSlots: 1 });
      for (let n = 0; n < hostile; n++)
        for (const name of OTHERS) add(`${name} ${n}`, { on: [name], priority: -1 });
      for (let n = 0; n < OWN; n++) add(`a ${n}`, { on: ['a'] });
      return endsUntil(OWN, () => {
        const key = running().find((each) => each.startsWith('a')) ?? running()[0];
        if (key !== undefined) end(key);
        return key;
      });
    },
  },
  {
    name: 'the threads of templates and charts',
    factor: OTHERS.length + 1,
    wait: (hostile) => {
      const turns = createTurns<string>();
      for (let n = 0; n < hostile; n++) for (const name of OTHERS) turns.add(name, `${name} ${n}`);
      for (let n = 0; n < OWN; n++) turns.add('a', `a ${n}`);
      return endsUntil(OWN, () => turns.next());
    },
  },
];

/** How many ends there are until `own` requests of the tenant `a` have ended. */
function endsUntil(own: number, endOne: () => string | undefined): number {
  let left = own;
  for (let ends = 1; ends < 100_000; ends++) {
    if (endOne()?.startsWith('a ')) left--;
    if (left === 0) return ends;
  }
  throw new Error('the tenant never got its turn');
}

test.each(SHARED)('$name', ({ wait, factor }) => {
  const alone = wait(0);
  for (const hostile of [1, 10, 1000])
    expect(wait(hostile)).toBeLessThanOrEqual(factor * alone + OTHERS.length);
});
