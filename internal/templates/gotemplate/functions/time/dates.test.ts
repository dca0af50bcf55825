import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { parseTemplate } from '../../template.ts';
import { SPRIG_FUNCTIONS } from '../categories.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { civilFromDays, daysFromCivil, weekdayOf } from './go-time.ts';
import { findZone } from './zone.ts';
import { ZONES } from './zones.gen.ts';

const NOW = Date.UTC(2024, 1, 29, 12, 30, 45, 678);

const render = (template: string): string =>
  parseTemplate('t', template, { functions: SPRIG_FUNCTIONS }).execute(null, { clock: createFakeClock(NOW) });

describe('functions of the current time use the clock', () => {
  test.each([
    ['{{ now }}', '2024-02-29 12:30:45.678 +0000 UTC'],
    ['{{ now | date "2006-01-02T15:04:05.000Z07:00" }}', '2024-02-29T12:30:45.678Z'],
    ['{{ now | unixEpoch }}', '1709209845'],
    ['{{ ago 1709206245 }}', '1h0m1s'],
    ['{{ ago now }}', '0s'],
    ['{{ ago "not a time" }}', '0s'],
    ['{{ date "2006-01-02" "not a time" }}', '2024-02-29'],
    ['{{ htmlDate nil }}', '2024-02-29'],
    ['{{ dateInZone "15:04 MST" now "Asia/Tokyo" }}', '21:30 JST'],
    ['{{ durationRound (dateModify "-49h" now) }}', '2d'],
    ['{{ (now).Weekday }} {{ (now).YearDay }}', 'Thursday 60'],
  ])('%s', (template, output) => {
    expect(render(template)).toBe(output);
  });

  test('the zone Local is UTC, whatever the zone of the machine', () => {
    expect(render('{{ dateInZone "15:04 MST" 0 "Local" }}')).toBe('00:00 UTC');
  });
});

describe('zones', () => {
  const names = ZONES.trim()
    .split('\n')
    .flatMap((line) => line.slice(line.indexOf(': ') + 2).split(' '));

  test('all of the database are known', () => {
    expect(names.length).toBeGreaterThan(590);
    for (const name of names)
      expect(findZone(name)?.at(1_700_000_000n).abbreviation).toMatch(/^[A-Za-z]{3,4}$|^[+-]\d\d/);
  });

  test.each(['', 'UTC'])('%j is UTC', (name) => {
    expect(findZone(name)?.at(0n)).toEqual({ offset: 0, abbreviation: 'UTC' });
  });

  test.each(['europe/berlin', 'Berlin', '../etc', 'Europe', 'CET=3600', 'x'.repeat(1000), 'Europe/Berlin '])(
    '%j is none',
    (name) => {
      expect(findZone(name)).toBeUndefined();
    },
  );
});

describe('the calendar', () => {
  test('agrees with that of JavaScript', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(-8e15), max: new Date(8e15), noInvalidDate: true }), (date) => {
        const days = Math.floor(date.getTime() / 86_400_000);
        const civil = civilFromDays(days);
        expect(civil).toEqual({
          year: date.getUTCFullYear(),
          month: date.getUTCMonth() + 1,
          day: date.getUTCDate(),
        });
        expect(daysFromCivil(civil.year, civil.month, civil.day)).toBe(days);
        expect(weekdayOf(days)).toBe(date.getUTCDay());
      }),
    );
  });
});

test('a duration is what its text says', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (duration) => {
      expect(parseDuration(formatDuration(duration))).toBe(duration);
    }),
  );
});
