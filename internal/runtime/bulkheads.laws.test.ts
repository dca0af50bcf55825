import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createBulkheads } from './bulkheads.ts';
import { LOW_PRIORITY, type Taken } from './queue/work-queue.ts';

const PLACES = 2;
const taken = (key: string, priority = 0): Taken => ({ key, priority, paced: false });

/** Bulkheads with a queue before them, of which the test takes and whose work the test ends. */
function setup() {
  const queue: Taken[] = [];
  const bulkheads = createBulkheads({ places: PLACES, readmit: (next) => queue.push(next) });
  const running = new Map<string, { lanes: readonly string[]; leave: () => void }>();
  return {
    queue,
    running,
    bulkheads,
    /** As a worker does. */
    work: (next: Taken, lanes: readonly string[]): boolean => {
      const leave = bulkheads.enter(next, lanes);
      if (leave) running.set(next.key, { lanes, leave });
      return leave !== undefined;
    },
    end: (key: string) => {
      running.get(key)?.leave();
      running.delete(key);
    },
  };
}

describe('bulkheads', () => {
  test('a full lane puts aside and no other is touched; a place that is given back goes to who came first', () => {
    const { work, end, queue, bulkheads } = setup();
    expect(['a', 'b', 'c', 'd'].map((key) => work(taken(key), ['x']))).toEqual([true, true, false, false]);
    expect(work(taken('e'), ['y'])).toBe(true);
    expect(work(taken('f'), [])).toBe(true);
    expect(bulkheads.aside()).toBe(2);
    end('b');
    expect(queue.map(({ key }) => key)).toEqual(['c']);
  });

  test('what is urgent goes before routine, however late it came', () => {
    const { work, end, queue } = setup();
    for (const key of ['a', 'b']) work(taken(key), ['x']);
    work(taken('poll', LOW_PRIORITY), ['x']);
    work(taken('change'), ['x']);
    end('a');
    expect(queue).toEqual([taken('change')]);
  });

  test('what changes while it is put aside for routine becomes urgent', () => {
    const { work, end, queue } = setup();
    for (const key of ['a', 'b']) work(taken(key), ['x']);
    work(taken('c', LOW_PRIORITY), ['x']);
    work(taken('d', LOW_PRIORITY), ['x']);
    work(taken('d'), ['x']);
    end('a');
    expect(queue).toEqual([taken('d')]);
  });

  test('a place is kept for who was invited, and free for others once it went another way', () => {
    const { work, end, queue } = setup();
    for (const key of ['a', 'b', 'c', 'd']) work(taken(key), ['x']);
    end('a');
    expect(work(taken('new'), ['x'])).toBe(false);
    expect(work(taken('c'), ['y'])).toBe(true);
    expect(queue.map(({ key }) => key)).toEqual(['c', 'd']);
  });

  test('giving places back twice gives them back once', () => {
    const { work, running, bulkheads } = setup();
    work(taken('a'), ['x']);
    work(taken('b'), ['x']);
    const leave = running.get('a')?.leave;
    leave?.();
    leave?.();
    expect(work(taken('c'), ['x'])).toBe(true);
    expect(work(taken('d'), ['x'])).toBe(false);
    expect(bulkheads.aside()).toBe(1);
  });

  const lanesOf = fc.subarray(['x', 'y', 'z']);
  const action = fc.oneof(
    fc.record({ do: fc.constant('come' as const), key: fc.integer({ min: 0, max: 9 }), lanes: lanesOf }),
    fc.record({ do: fc.constant('take' as const), lanes: lanesOf }),
    fc.record({ do: fc.constant('end' as const), nth: fc.nat(9) }),
  );

  test('never more than its places are in a lane, and nobody is forgotten once the work ends', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const { queue, running, bulkheads, work, end } = setup();
        const come = new Set<string>();
        const done = new Set<string>();
        const enter = (next: Taken, lanes: readonly string[]) => {
          if (running.has(next.key)) return;
          come.add(next.key);
          done.delete(next.key);
          work(next, lanes);
        };
        const finish = (key: string) => {
          end(key);
          done.add(key);
        };
        for (const step of actions) {
          if (step.do === 'come') enter(taken(`k${step.key}`), step.lanes);
          if (step.do === 'take') {
            const next = queue.shift();
            if (next) enter(next, step.lanes);
          }
          if (step.do === 'end') {
            const key = [...running.keys()][step.nth];
            if (key !== undefined) finish(key);
          }
          for (const lane of ['x', 'y', 'z']) {
            const inLane = [...running.values()].filter(({ lanes }) => lanes.includes(lane));
            expect(inLane.length).toBeLessThanOrEqual(PLACES);
          }
        }
        // Whoever works goes on until all is done, each in its lane again.
        while (running.size + queue.length > 0) {
          for (const key of [...running.keys()]) finish(key);
          const next = queue.shift();
          if (next) enter(next, ['x']);
        }
        expect(bulkheads.aside()).toBe(0);
        expect([...done].sort()).toEqual([...come].sort());
      }),
    );
  });
});
