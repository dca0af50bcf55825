import { expect, test } from '@jest/globals';
import { createBoundedLabel, statusLabel } from './bounded-label.ts';

test('the first values have a series of their own, further and long ones share one', () => {
  const label = createBoundedLabel(2);
  expect(['a', 'b', 'c', 'a', 'd', 'b', 'x'.repeat(129)].map(label)).toEqual([
    ...['a', 'b', 'other', 'a', 'other', 'b', 'other'],
  ]);
});

test('statuses that HTTP defines have a series of their own, others share one', () => {
  expect([200, 404, 429, 503, 511, 599, 600, 999].map(statusLabel)).toEqual([
    ...['200', '404', '429', '503', '511', 'other', 'other', 'other'],
  ]);
  const all = new Set(Array.from({ length: 1000 }, (_, status) => statusLabel(status)));
  expect(all.size).toBeLessThan(70);
});
