import { expect, test } from '@jest/globals';
import { createBoundedLabel } from './bounded-label.ts';

test('the first values have a series of their own, further and long ones share one', () => {
  const label = createBoundedLabel(2);
  expect(['a', 'b', 'c', 'a', 'd', 'b', 'x'.repeat(129)].map(label)).toEqual([
    ...['a', 'b', 'other', 'a', 'other', 'b', 'other'],
  ]);
});
