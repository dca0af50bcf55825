import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Item, setUp } from './concurrency-limiter.fixture.ts';
import { SLOW_AFTER_MS } from './concurrency-limiter.ts';

const SLOTS = 2;
const LOW_SLOTS = 2;
const CAPACITY = 6;
const names = ['x', 'y', 'z'];
const action = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      on: fc.shuffledSubarray(names),
      priority: fc.constantFrom(-200, -100, 0, 5),
      group: fc.nat(1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), nth: fc.nat(9), group: fc.nat(1) }) },
  fc.record({
    do: fc.constant('reserve' as const),
    nth: fc.nat(9),
    group: fc.nat(1),
    on: fc.shuffledSubarray(names),
  }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 3000 }) }),
);

test('property: no key has more requests than slots, low priority is throttled, no request is forgotten, and none waits that could start', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 100 }), async (actions) => {
      const first = setUp({ slots: SLOTS, capacity: CAPACITY, lowSlots: LOW_SLOTS });
      const { clock } = first;
      const groups = [first, first.another()];
      const added: Item[][] = [[], []];
      const ended = new Set<string>();
      const startedAt = new Map<string, number>();
      /** Keys that requests took besides, which may be more than there are slots. */
      const reserved = new Set<string>();
      let number = 0;
      const running = () => groups.flatMap((group) => group.items());
      const check = () => {
        for (const { key } of running()) {
          if (!startedAt.has(key)) startedAt.set(key, clock.monotonic());
        }
        const used = (name: string) =>
          running().filter(({ limitKeys }) => limitKeys.some((key) => key.name === name)).length;
        for (const name of names) expect(used(name)).toBeLessThanOrEqual(SLOTS);
        for (const [index, group] of groups.entries()) {
          const items = group.items();
          expect(items.length).toBeLessThanOrEqual(CAPACITY);
          if (items.length === CAPACITY) continue;
          const isHigh = ({ key, priority }: Item) =>
            priority >= 0 && clock.monotonic() - (startedAt.get(key) ?? 0) < SLOW_AFTER_MS;
          const low = items.filter(({ priority }) => priority < 0).length;
          const throttled = items.some(isHigh) && low >= LOW_SLOTS;
          const waits = (added[index] ?? []).filter(({ key }) => !startedAt.has(key));
          for (const { limitKeys, priority } of waits) {
            const lacksSlot = limitKeys.some(({ name }) => used(name) >= SLOTS || reserved.has(name));
            expect(lacksSlot || (priority < 0 && throttled)).toBe(true);
          }
        }
      };
      for (const step of actions) {
        const group = groups[step.do === 'wait' ? 0 : step.group];
        if (group === undefined) continue;
        switch (step.do) {
          case 'add':
            added[step.group]?.push(group.add(`k${number++}`, step));
            break;
          case 'end': {
            const key = group.running()[step.nth];
            if (key !== undefined) {
              group.end(key);
              ended.add(key);
            }
            break;
          }
          case 'reserve': {
            const item = group.items()[step.nth];
            const keys = step.on.map((name) => ({ name, slots: SLOTS }));
            if (item !== undefined && group.group.reserve(item, keys)) {
              for (const { name } of keys) reserved.add(name);
            }
            break;
          }
          case 'wait':
            await clock.advance(step.ms);
            break;
          default:
            step satisfies never;
        }
        check();
      }
      for (let steps = 0; running().length > 0; steps++) {
        expect(steps).toBeLessThan(1000);
        for (const group of groups) {
          for (const key of group.running()) {
            group.end(key);
            ended.add(key);
          }
        }
      }
      expect([...ended].sort()).toEqual(
        added
          .flat()
          .map(({ key }) => key)
          .sort(),
      );
      for (const { group } of groups) expect([group.size(), group.waitingForSlots()]).toEqual([0, 0]);
      expect(clock.pending()).toBe(0);
    }),
    { numRuns: 200 },
  );
});

test('property: however many keys have requests, a new one waits for at most as many turns of them as it has new ones before it, and one more', () => {
  const crowd = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(
      crowd,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 4 }),
      (sizes, capacity, startsPerTurn) => {
        const { add, end, running } = setUp({ capacity, slots: 4, startsPerTurn });
        for (const [host, size] of sizes.entries()) {
          for (let i = 0; i < size; i++) add(`${host}-${i}`, { on: [`host ${host}`] });
        }
        // Before it come the hosts that have had no turn either, alternately with others, and the rest of the turn that goes on.
        const idle = sizes.filter((_, host) => !running().some((key) => key.startsWith(`${host}-`))).length;
        add('newcomer', { on: ['another host'] });
        for (let ends = 0; !running().includes('newcomer'); ends++) {
          expect(ends).toBeLessThanOrEqual((2 * idle + 2) * startsPerTurn - 1);
          const [key] = running();
          if (key !== undefined) end(key);
        }
      },
    ),
  );
});

test('property: a key with a backlog has every other turn at least, however many new keys come', () => {
  const arrivals = fc.array(fc.nat(3), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(arrivals, fc.integer({ min: 1, max: 4 }), (steps, startsPerTurn) => {
      const { add, end, running } = setUp({ capacity: 1, slots: 4, startsPerTurn });
      for (let i = 0; i < 200; i++) add(`backlog-${i}`, { on: ['backlog'] });
      let overtaken = 0;
      let number = 0;
      for (const arriving of steps) {
        for (let i = 0; i < arriving; i++) add(`new-${number}`, { on: [`new ${number++}`] });
        const [key = ''] = running();
        overtaken = key.startsWith('new') ? overtaken + 1 : 0;
        expect(overtaken).toBeLessThanOrEqual(1);
        end(key);
      }
    }),
  );
});
