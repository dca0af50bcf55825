import { expect, test } from '@jest/globals';
import { labelValue } from './prepared-object.ts';

test.each([
  ['2.20.0', '2.20.0'],
  ['feature/new-thing', 'feature-new-thing'],
  ['-_x_-', 'x'],
  ['', ''],
  ['///', ''],
  [`${'a'.repeat(62)}/b`, 'a'.repeat(62)],
])('the label of version %j is %j', (version, label) => {
  expect(labelValue(version)).toBe(label);
});
