import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createBulkheads } from './bulkheads.ts';
import { LOW_PRIORITY, POLL_PRIORITY, type Taken } from './queue/work-queue.ts';

const PLACES = 2;
const taken = (key: string, priority = 0): Taken => ({ key, priority, paced: false });

/** Bulkheads with a queue before them, of which the test takes and whose work the test ends. */
function setup(mayBeginRoutine = () => true) {
  const queue: Taken[] = [];
  const bulkheads = createBulkheads({
    places: PLACES,
    readmit: (next) => queue.push(next),
    mayBeginRoutine,
  });
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

  test('what was never looked at goes before polls, however late it came', () => {
    const { work, end, queue } = setup();
    for (const key of ['a', 'b']) work(taken(key), ['x']);
    for (const key of ['p', 'q']) work(taken(key, POLL_PRIORITY), ['x']);
    work(taken('first', LOW_PRIORITY), ['x']);
    end('a');
    end('b');
    expect(queue.map(({ key }) => key)).toEqual(['first', 'p']);
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

  test('keep no place for routine work that may not begin, and invite it as soon as it may', () => {
    let mayBegin = false;
    const { work, end, queue, bulkheads } = setup(() => mayBegin);
    for (const key of ['a', 'b']) work(taken(key), ['x']);
    for (const key of ['c', 'd', 'e']) work(taken(key, LOW_PRIORITY), ['x']);
    for (const key of ['a', 'b']) end(key);
    expect(queue).toEqual([]);
    expect(work(taken('urgent'), ['x'])).toBe(true);
    mayBegin = true;
    bulkheads.review();
    expect(queue.map(({ key }) => key)).toEqual(['c']);
    end('urgent');
    expect(queue.map(({ key }) => key)).toEqual(['c', 'd']);
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

  test('who is invited finds a place in all its lanes, whomever else they invite', () => {
    const { work, end, queue, bulkheads } = setup();
    for (const [key, lanes] of [
      ['a', ['x']],
      ['b', ['x']],
      ['c', ['y']],
      ['d', ['y']],
    ] as const) {
      expect(work(taken(key), lanes)).toBe(true);
    }
    // Some wait for the one lane and some for the other, and all need both.
    const first = ['e', 'f', 'g', 'h'];
    for (const key of first) work(taken(key), ['x', 'y']);
    for (const key of ['i', 'j', 'k', 'l']) work(taken(key), ['y', 'x']);
    for (const key of ['a', 'b', 'c', 'd']) end(key);
    for (let steps = 0; queue.length > 0; steps++) {
      expect(steps).toBeLessThan(100);
      const next = queue.shift();
      if (next) work(next, first.includes(next.key) ? ['x', 'y'] : ['y', 'x']);
    }
    expect(bulkheads.aside()).toBe(6);
  });

  const lanesOf = fc.shuffledSubarray(['x', 'y', 'z'], { minLength: 1 });
  const action = fc.oneof(
    fc.record({ do: fc.constant('come' as const), key: fc.integer({ min: 0, max: 19 }), lanes: lanesOf }),
    fc.record({ do: fc.constant('take' as const), lanes: lanesOf }),
    fc.record({ do: fc.constant('end' as const), nth: fc.nat(9) }),
  );

  test('never more than its places are in a lane, and nobody is forgotten once the work ends', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 120 }), (actions) => {
        const { queue, running, bulkheads, work, end } = setup();
        const come = new Set<string>();
        const done = new Set<string>();
        const lanesOf = new Map<string, readonly string[]>();
        const enter = (next: Taken, lanes: readonly string[]) => {
          if (running.has(next.key)) return;
          lanesOf.set(next.key, lanes);
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
        // Whoever is invited comes, and finds its places; then those who work end, and so on until all is done.
        for (let steps = 0; running.size + queue.length > 0; steps++) {
          expect(steps).toBeLessThan(1000);
          const next = queue.shift();
          if (next) enter(next, lanesOf.get(next.key) ?? []);
          else for (const key of [...running.keys()]) finish(key);
        }
        expect(bulkheads.aside()).toBe(0);
        expect([...done].sort()).toEqual([...come].sort());
      }),
    );
  });
});
