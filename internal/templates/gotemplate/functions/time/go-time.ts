import { nextElement } from './layout.ts';
import { LOCAL, UTC, type Zone, type ZoneOffset } from './zone.ts';

/** A time.Time of Go, without the reading of the monotonic clock. */
export interface GoTime {
  /** Since the Unix epoch. */
  readonly seconds: bigint;
  /** 0 to 999,999,999. */
  readonly nanoseconds: number;
  readonly zone: Zone;
}

/** Seconds from year 1, where Go counts from, to the Unix epoch. */
const UNIX_TO_INTERNAL = 62_135_596_800n;

/** Go counts in an int64 since year 1, which overflows for the last Unix times. */
const wrapSeconds = (seconds: bigint): bigint =>
  BigInt.asIntN(64, seconds + UNIX_TO_INTERNAL) - UNIX_TO_INTERNAL;

/** January 1st of year 1 in UTC: what functions return beside an error, and get for nil. */
export const ZERO_TIME: GoTime = { seconds: -UNIX_TO_INTERNAL, nanoseconds: 0, zone: UTC };

const NANOSECONDS = 1_000_000_000n;

export const unixTime = (seconds: bigint, zone: Zone = LOCAL): GoTime => ({
  seconds: wrapSeconds(seconds),
  nanoseconds: 0,
  zone,
});

/** @param milliseconds since the Unix epoch */
export function timeOfMilliseconds(milliseconds: number): GoTime {
  const seconds = Math.floor(milliseconds / 1000);
  return {
    seconds: BigInt(seconds),
    nanoseconds: Math.round((milliseconds - seconds * 1000) * 1e6) % 1e9,
    zone: LOCAL,
  };
}

export const inZone = (time: GoTime, zone: Zone): GoTime => ({ ...time, zone });

/** @param duration in nanoseconds, an int64 */
export function addDuration(time: GoTime, duration: bigint): GoTime {
  const nanoseconds = BigInt(time.nanoseconds) + (duration % NANOSECONDS);
  const carry = nanoseconds < 0n ? -1n : nanoseconds >= NANOSECONDS ? 1n : 0n;
  return {
    seconds: wrapSeconds(time.seconds + duration / NANOSECONDS + carry),
    nanoseconds: Number(nanoseconds - carry * NANOSECONDS),
    zone: time.zone,
  };
}

const MAX_DURATION = 2n ** 63n - 1n;

/** Nanoseconds from `other` to `time`, at most what a time.Duration holds. */
export function subtract(time: GoTime, other: GoTime): bigint {
  const exact = unixNanoseconds(time) - unixNanoseconds(other);
  return exact > MAX_DURATION ? MAX_DURATION : exact < -MAX_DURATION - 1n ? -MAX_DURATION - 1n : exact;
}

/** Since the Unix epoch. */
export const unixNanoseconds = (time: GoTime): bigint =>
  time.seconds * NANOSECONDS + BigInt(time.nanoseconds);

/** The fields of a time in its zone. */
export function fieldsOf(time: GoTime): TimeFields {
  const { offset, abbreviation } = time.zone.at(time.seconds);
  const local = time.seconds + BigInt(offset);
  const secondOfDay = Number(((local % 86_400n) + 86_400n) % 86_400n);
  const days = Number((local - BigInt(secondOfDay)) / BigInt(SECONDS_PER_DAY));
  return {
    ...civilFromDays(days),
    weekday: weekdayOf(days),
    hour: Math.floor(secondOfDay / 3600),
    minute: Math.floor((secondOfDay % 3600) / 60),
    second: secondOfDay % 60,
    nanosecond: time.nanoseconds,
    offset,
    abbreviation,
  };
}

type Clockface = Pick<TimeFields, 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'nanosecond'>;

/** The time at which clocks in a zone show these fields; fields out of range carry over. */
export function timeOf(fields: Clockface, zone: Zone): GoTime {
  const days = daysFromCivil(fields.year, fields.month, fields.day);
  const local =
    BigInt(days) * BigInt(SECONDS_PER_DAY) + BigInt(fields.hour * 3600 + fields.minute * 60 + fields.second);
  const guess = local - BigInt(zone.at(local).offset);
  // The offset at the local time may be the one after a change; the one at the guess is right then.
  const offset = BigInt(zone.at(guess).offset);
  return { seconds: wrapSeconds(local - offset), nanoseconds: fields.nanosecond, zone };
}

export const format = (time: GoTime, layout: string): string => formatTime(fieldsOf(time), layout);

/** A time in the fields that layouts name. */
interface TimeFields extends CivilDate, ZoneOffset {
  /** 0 for Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
}

function formatTime(fields: TimeFields, layout: string): string {
  let text = '';
  let rest = layout;
  while (rest !== '') {
    const { prefix, element, suffix } = nextElement(rest);
    text += prefix;
    if (element !== '') text += formatElement(fields, element);
    rest = suffix;
  }
  return text;
}

function formatElement(fields: TimeFields, element: string): string {
  const hour12 = fields.hour % 12 || 12;
  switch (element) {
    case '2006':
      return digits(fields.year, 4);
    case '06':
      return digits(Math.abs(fields.year) % 100, 2);
    case 'January':
      return MONTHS[fields.month - 1] ?? '';
    case 'Jan':
      return (MONTHS[fields.month - 1] ?? '').slice(0, 3);
    case '1':
      return String(fields.month);
    case '01':
      return digits(fields.month, 2);
    case 'Monday':
      return WEEKDAYS[fields.weekday] ?? '';
    case 'Mon':
      return (WEEKDAYS[fields.weekday] ?? '').slice(0, 3);
    case '2':
      return String(fields.day);
    case '_2':
      return String(fields.day).padStart(2);
    case '02':
      return digits(fields.day, 2);
    case '__2':
      return String(dayOfYear(fields)).padStart(3);
    case '002':
      return digits(dayOfYear(fields), 3);
    case '15':
      return digits(fields.hour, 2);
    case '3':
      return String(hour12);
    case '03':
      return digits(hour12, 2);
    case '4':
      return String(fields.minute);
    case '04':
      return digits(fields.minute, 2);
    case '5':
      return String(fields.second);
    case '05':
      return digits(fields.second, 2);
    case 'PM':
      return fields.hour >= 12 ? 'PM' : 'AM';
    case 'pm':
      return fields.hour >= 12 ? 'pm' : 'am';
    case 'MST':
      return fields.abbreviation || formatOffset(fields.offset, '-0700');
    default:
      return /^[-Z]/.test(element)
        ? formatOffset(fields.offset, element)
        : formatFraction(fields.nanosecond, element);
  }
}

function formatOffset(offset: number, element: string): string {
  if (element.startsWith('Z') && offset === 0) return 'Z';
  const minutes = Math.trunc(Math.abs(offset) / 60);
  const parts = [digits(Math.floor(minutes / 60), 2)];
  if (element.length > 3) parts.push(digits(minutes % 60, 2));
  if (element.length > 6) parts.push(digits(Math.abs(offset) % 60, 2));
  // An offset of less than a minute counts as none.
  return `${offset <= -60 ? '-' : '+'}${parts.join(element.includes(':') ? ':' : '')}`;
}

function formatFraction(nanosecond: number, element: string): string {
  const [separator = '', kind] = element;
  const fraction = digits(nanosecond, 9).slice(0, element.length - 1);
  if (kind === '0') return separator + fraction;
  const significant = withoutZerosAtEnd(fraction);
  return significant === '' ? '' : separator + significant;
}

function withoutZerosAtEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === '0') end--;
  return text.slice(0, end);
}

/** Decimal digits, padded with zeros; the sign is not counted. */
function digits(value: number, width: number): string {
  return (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(width, '0');
}

/* Calendar arithmetic for the years of an int64, of which Date has only a part. */

interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

const SECONDS_PER_DAY = 86_400;

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar. Month and day may be out of range. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const monthIndex = month - 1;
  const shiftedYear = year + Math.floor(monthIndex / 12);
  const shiftedMonth = (((monthIndex % 12) + 12) % 12) + 1;
  // Years start in March, so that the leap day is the last day of one.
  const y = shiftedMonth <= 2 ? shiftedYear - 1 : shiftedYear;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * ((shiftedMonth + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** The date of a number of days since 1970-01-01. */
export function civilFromDays(days: number): CivilDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

export const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

export const daysInMonth = (year: number, month: number): number =>
  daysFromCivil(year, month + 1, 1) - daysFromCivil(year, month, 1);

/** 1 for January 1st. */
export const dayOfYear = ({ year, month, day }: CivilDate): number =>
  daysFromCivil(year, month, day) - daysFromCivil(year, 1, 1) + 1;

export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const;

/** 0 for Sunday. */
export const weekdayOf = (days: number): number => (((days + 4) % 7) + 7) % 7;
