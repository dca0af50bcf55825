import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock } from '../base/fake-clock.ts';
import { LOW_PRIORITY } from './queue/work-queue.ts';
import { createRoutineGate } from './routine-gate.ts';

const PLACES = 2;
const PATIENCE_MS = 2000;

function setup() {
  const clock = createFakeClock();
  let opened = 0;
  const gate = createRoutineGate({ clock, places: PLACES, patienceMs: PATIENCE_MS, onOpen: () => opened++ });
  return {
    ...gate,
    clock,
    opened: () => opened,
    routine: (key: string) => gate.enter(key, LOW_PRIORITY),
    urgent: (key: string) => gate.enter(key, 0),
  };
}

describe('routine work', () => {
  test('begins without a bound while nothing is urgent', () => {
    const { routine } = setup();
    expect(Array.from({ length: 20 }, (_, i) => routine(`r${i}`))).not.toContain(false);
  });

  test('begins up to its places while something urgent is under way, and hears when there is one again', () => {
    const { routine, urgent, leave, opened } = setup();
    urgent('u');
    expect([routine('a'), routine('b'), routine('c')]).toEqual([true, true, false]);
    leave('a');
    expect(opened()).toBe(1);
    expect(routine('c')).toBe(true);
  });

  test('that was begun before goes on, and no more begins until there are few enough', () => {
    const { routine, urgent, leave, opened } = setup();
    for (const key of ['a', 'b', 'c', 'd']) routine(key);
    urgent('u');
    expect(routine('e')).toBe(false);
    leave('a');
    leave('b');
    expect([opened(), routine('e')]).toEqual([0, false]);
    leave('c');
    expect([opened(), routine('e')]).toEqual([1, true]);
  });

  test('goes on at full width when the last urgent pass has ended', () => {
    const { routine, urgent, leave, opened } = setup();
    urgent('u');
    urgent('v');
    for (const key of ['a', 'b', 'c']) routine(key);
    leave('u');
    expect([opened(), routine('c')]).toEqual([0, false]);
    leave('v');
    expect([opened(), routine('c'), routine('d')]).toEqual([1, true, true]);
  });

  test('is not kept down by an urgent pass that hangs', async () => {
    const { routine, urgent, opened, clock } = setup();
    urgent('u');
    for (const key of ['a', 'b', 'c']) routine(key);
    await clock.advance(PATIENCE_MS - 1);
    expect([opened(), routine('c')]).toEqual([0, false]);
    await clock.advance(1);
    expect([opened(), routine('c'), routine('d')]).toEqual([1, true, true]);
  });
});

test('urgent work always begins', () => {
  const { routine, urgent } = setup();
  for (const key of ['a', 'b', 'c']) routine(key);
  expect(Array.from({ length: 20 }, (_, i) => urgent(`u${i}`))).not.toContain(false);
});

test('nobody is told who was not refused, and no timer outlives its pass', () => {
  const { routine, urgent, leave, opened, clock } = setup();
  for (const key of ['a', 'b']) routine(key);
  urgent('u');
  for (const key of ['u', 'a', 'b']) leave(key);
  expect([opened(), clock.pending()]).toEqual([0, 0]);
});

test('law: whoever was refused is told as soon as it could begin', () => {
  const step = fc.record({ leave: fc.boolean(), key: fc.nat(9), urgent: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const { routine, urgent, leave, opened } = setup();
      const running = new Map<string, boolean>();
      let waits = false;
      for (const { leave: leaves, key: number, urgent: isUrgent } of steps) {
        const key = `k${number}`;
        const before = opened();
        if (leaves) {
          leave(key);
          running.delete(key);
        } else if (!running.has(key)) {
          if (isUrgent ? urgent(key) : routine(key)) running.set(key, isUrgent);
          else waits = true;
        }
        const kinds = [...running.values()];
        const blocked = kinds.includes(true) && kinds.filter((is) => !is).length >= PLACES;
        expect(opened() - before).toBe(leaves && waits && !blocked ? 1 : 0);
        if (opened() > before) waits = false;
      }
    }),
  );
});
