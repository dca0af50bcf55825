import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  formatDuration,
  formatMicroTime,
  formatTimestamp,
  parseDuration,
  parseTimestamp,
} from './formats.ts';

describe('parseDuration', () => {
  test.each([
    { text: '60s', ms: 60_000, reason: 'seconds are the usual unit' },
    { text: '1h30m', ms: 5_400_000, reason: 'terms add up' },
    { text: '1.5s', ms: 1500, reason: 'decimals are allowed' },
    { text: '.5s', ms: 500, reason: 'Go allows a leading dot' },
    { text: '300ms', ms: 300, reason: 'ms must not be read as minutes' },
    { text: '10us', ms: 0.01, reason: 'microseconds in ASCII' },
    { text: '10\u00b5s', ms: 0.01, reason: 'microseconds as Go prints them' },
    { text: '1ns', ms: 0.000_001, reason: 'the smallest unit' },
    { text: '-5m', ms: -300_000, reason: 'the caller decides what a negative one means' },
    { text: '+5m', ms: 300_000, reason: 'Go takes a plus sign' },
    { text: '0', ms: 0, reason: 'only zero needs no unit' },
  ])('$text is $ms ms: $reason', ({ text, ms }) => {
    expect(parseDuration(text)).toBeCloseTo(ms, 9);
  });

  test.each(['', '-', '5', '5 m', '1d', 's', '1s garbage', 'garbage', '1..5s', 'NaNs', '1e3s'])(
    '%j is refused, as Go refuses it',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe('formatDuration', () => {
  test.each([
    [0, '0s'],
    [60_000, '1m0s'],
    [3_600_000, '1h0m0s'],
    [1500, '1.5s'],
    [300, '300ms'],
    [-90_000, '-1m30s'],
    [0.01, '10\u00b5s'],
    [0.000_001, '1ns'],
  ])('%d ms is printed as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test('what is printed reads back as the same span', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e10, max: 1e10 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBeCloseTo(ms, 5);
      }),
    );
  });
});

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
