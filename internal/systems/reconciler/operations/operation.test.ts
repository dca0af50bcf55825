import { expect, test } from '@jest/globals';
import { isFeatureOn } from './operation.ts';

test.each([
  { value: 'true', on: true },
  { value: 'TRUE', on: true },
  { value: '1', on: true },
  { value: 'truee', on: false },
  { value: '0', on: false },
  { value: '', on: false },
  { value: undefined, on: false },
])('[R87] a feature with the value $value is on: $on', ({ value, on }) => {
  const name = 'WORKERPOOL_OCCUPANCY_TRACKING_ENABLED';
  expect(isFeatureOn(value === undefined ? {} : { [name]: value }, name)).toBe(on);
});
