import { type CivilDate, dayOfYear, MONTHS, WEEKDAYS } from './civil.ts';
import { nextElement } from './layout.ts';
import type { ZoneOffset } from './zone.ts';

/** A time in the fields that layouts name. */
export interface TimeFields extends CivilDate, ZoneOffset {
  /** 0 for Sunday. */
  readonly weekday: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanosecond: number;
}

export function formatTime(fields: TimeFields, layout: string): string {
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
