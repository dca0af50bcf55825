import { expect, test } from '@jest/globals';
import { createHostSlots, FIRST_SLOTS } from './host-slots.ts';

const times = (count: number, work: () => void) => Array.from({ length: count }).forEach(work);

test('a host has few slots until it responds, and one more for each response up to its maximum', () => {
  const grown: string[] = [];
  const slots = createHostSlots(24, (host) => grown.push(host));
  expect(slots.of('a')).toBe(FIRST_SLOTS);
  times(3, () => slots.succeeded('a'));
  expect([slots.of('a'), slots.of('b')]).toEqual([FIRST_SLOTS + 3, FIRST_SLOTS]);
  times(100, () => slots.succeeded('a'));
  expect(slots.of('a')).toBe(24);
  expect(grown).toEqual(Array(24 - FIRST_SLOTS).fill('a'));
});

test('a host that fails slowly has few again', () => {
  const slots = createHostSlots(24);
  times(100, () => slots.succeeded('a'));
  slots.failedSlowly('a');
  expect(slots.of('a')).toBe(FIRST_SLOTS);
});

test('a maximum below the first slots is no maximum: reconciles share lists', () => {
  const slots = createHostSlots(1);
  slots.succeeded('a');
  expect(slots.of('a')).toBe(FIRST_SLOTS);
});
