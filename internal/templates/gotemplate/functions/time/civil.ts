/** Calendar arithmetic for the years of an int64, of which Date has only a part. */

export interface CivilDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

export const SECONDS_PER_DAY = 86_400;

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
