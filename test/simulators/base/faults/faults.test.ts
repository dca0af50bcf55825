import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFaults, type FaultMatch, type FaultSubject } from './faults.ts';

const reset = { kind: 'reset' } as const;
const list: FaultSubject<string> = {
  route: 'list',
  method: 'GET',
  path: '/i',
  instance: 'i',
  name: 'n',
  clientID: 'c',
};

/** The numbers, from 1, of the next `count` requests that a rule applies to. */
function met(on: FaultMatch<string>, count: number): number[] {
  const faults = createFaults();
  faults.add({ on, do: reset });
  return Array.from({ length: count }, (_, index) => index + 1).filter(() => faults.meeting(list).length > 0);
}

describe('a rule applies to', () => {
  const cases: readonly [reason: string, on: FaultMatch<string>, meets: number[]][] = [
    ['everything', {}, [1, 2, 3, 4, 5, 6, 7]],
    ['the first few', { first: 2 }, [1, 2]],
    ['those after the first few', { skip: 5 }, [6, 7]],
    ['a few in the middle', { skip: 2, first: 3 }, [3, 4, 5]],
    ['every n-th', { every: 3 }, [3, 6]],
    ['every n-th of a few in the middle', { skip: 1, first: 4, every: 2 }, [3, 5]],
    ['nothing of another route', { route: 'token' }, []],
    ['nothing of another instance', { instance: 'j' }, []],
    ['nothing of another path', { path: '/j' }, []],
    ['nothing of another name', { name: 'm' }, []],
    ['nothing of another client', { clientID: 'd' }, []],
    ['nothing with probability 0', { probability: 0 }, []],
    ['everything with probability 1', { probability: 1 }, [1, 2, 3, 4, 5, 6, 7]],
  ];
  test.each(cases)('%s', (_reason, on, meets) => {
    expect(met(on, 7)).toEqual(meets);
  });

  test('the same requests for the same seed, about as many as its probability states', () => {
    const one = met({ probability: 0.3, seed: 7 }, 1000);
    expect(met({ probability: 0.3, seed: 7 }, 1000)).toEqual(one);
    expect(met({ probability: 0.3, seed: 8 }, 1000)).not.toEqual(one);
    expect(one.length).toBeGreaterThan(200);
    expect(one.length).toBeLessThan(400);
  });

  test('property: never more than first, and none before skip', () => {
    const whole = fc.integer({ min: 0, max: 20 });
    fc.assert(
      fc.property(whole, whole, fc.integer({ min: 1, max: 5 }), (skip, first, every) => {
        const meets = met({ skip, first, every }, 60);
        expect(meets.length).toBe(Math.floor(first / every));
        for (const position of meets) expect(position).toBeGreaterThan(skip);
      }),
    );
  });
});

test('a rule counts only matching requests, reports how often it applied, and can be removed', () => {
  const faults = createFaults();
  const rule = faults.add({ on: { route: 'list', every: 2 }, do: reset });
  for (const route of ['list', 'token', 'list', 'token', 'list', 'list'] as const)
    faults.meeting({ ...list, route });
  expect(rule.hits()).toBe(2);
  expect(faults.list()).toEqual([{ id: rule.id, on: { route: 'list', every: 2 }, do: reset, hits: 2 }]);
  rule.remove();
  expect(faults.meeting(list)).toEqual([]);
  expect(faults.remove(rule.id)).toBe(false);
});

test('all rules that are due apply to a request, in the order in which they were added', () => {
  const faults = createFaults();
  faults.add({ on: {}, do: { kind: 'delay', ms: 1 } });
  faults.add({ on: { route: 'list' }, do: reset });
  expect(faults.meeting(list).map(({ action }) => action.kind)).toEqual(['delay', 'reset']);
});
