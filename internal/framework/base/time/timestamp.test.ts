import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { formatMicroTime, formatTimestamp, parseTimestamp } from './timestamp.ts';

describe('formatTimestamp', () => {
  test('[A3] writes whole seconds, since a fraction would order two stamps of one second', () => {
    expect(formatTimestamp(Date.UTC(2024, 0, 1, 0, 0, 0, 999))).toBe('2024-01-01T00:00:00Z');
  });

  test('reads back as the same second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), (ms) => {
        expect(parseTimestamp(formatTimestamp(ms))).toBe(ms - (ms % 1000));
      }),
    );
  });
});

test('formatMicroTime writes six decimals, since the API server refuses fewer', () => {
  const ms = Date.UTC(2024, 0, 1, 0, 0, 0, 42);
  expect(formatMicroTime(ms)).toBe('2024-01-01T00:00:00.042000Z');
  expect(parseTimestamp(formatMicroTime(ms))).toBe(ms);
});

describe('parseTimestamp', () => {
  test.each([
    ['2024-01-01T00:00:00Z', Date.UTC(2024, 0, 1)],
    ['2024-01-01T02:00:00+02:00', Date.UTC(2024, 0, 1)],
    ['2024-01-01T00:00:00.5Z', Date.UTC(2024, 0, 1) + 500],
  ])('%s is a time', (text, ms) => {
    expect(parseTimestamp(text)).toBe(ms);
  });

  test.each([undefined, '', 'yesterday', '2024-01-01', '1704067200', '2024-13-01T00:00:00Z'])(
    '%j is none',
    (text) => {
      expect(parseTimestamp(text)).toBeUndefined();
    },
  );
});
