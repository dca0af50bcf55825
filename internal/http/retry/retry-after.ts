/**
 * The header Retry-After (RFC 9110, section 10.2.3) of any server. The value is untrusted, so `limitRetryAfter` limits it.
 */
import { limitRetryAfter } from '../../base/errors/errors.ts';

/** Prevents a busy loop. */
const MIN_RETRY_AFTER_MS = 1000;

/** Longer than every form of a date. */
const MAX_LENGTH = 64;

export interface RetryAfterHeaders {
  readonly retryAfter: string | undefined;
  /** The header Date. A date in Retry-After is relative to it, since the clocks may differ. */
  readonly date?: string | undefined;
}

/**
 * The delay in ms, from 1 s to `MAX_RETRY_AFTER_MS`. Undefined if the header is absent or invalid.
 *
 * @param nowMs ms since the epoch, used if the response has no Date
 */
export function parseRetryAfter(headers: RetryAfterHeaders, nowMs: number): number | undefined {
  const value = trimmed(headers.retryAfter);
  if (value === '') return undefined;
  if (/^\d+$/.test(value)) return bounded(Number(value) * 1000);
  const date = parseHttpDate(value, nowMs);
  if (date === undefined) return undefined;
  return bounded(date - (parseHttpDate(trimmed(headers.date), nowMs) ?? nowMs));
}

const bounded = (ms: number): number => Math.max(limitRetryAfter(ms), MIN_RETRY_AFTER_MS);

const trimmed = (value = ''): string => value.slice(0, MAX_LENGTH).trim();

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** The three forms of RFC 9110, section 5.6.7. The day of the week is ignored. */
const httpDates = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  /^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) GMT$/,
  // Sunday, 06-Nov-94 08:49:37 GMT
  /^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) GMT$/,
  // Sun Nov  6 08:49:37 1994
  /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) (?<year>\d{4})$/,
];

/** Not Date.parse, which accepts `-1` as a year and reads the third form as local time. */
function parseHttpDate(text: string, nowMs: number): number | undefined {
  for (const form of httpDates) {
    const parts = form.exec(text)?.groups;
    if (parts === undefined) continue;
    const { day = '', month = '', year = '', hour = '', minute = '', second = '' } = parts;
    const monthIndex = months.indexOf(month);
    if (monthIndex < 0) return undefined;
    const full = year.length === 2 ? fullYear(Number(year), nowMs) : Number(year);
    return Date.UTC(full, monthIndex, Number(day), Number(hour), Number(minute), Number(second));
  }
  return undefined;
}

/** A two-digit year more than 50 years in the future is in the past century (RFC 9110, section 5.6.7). */
function fullYear(digits: number, nowMs: number): number {
  const current = new Date(nowMs).getUTCFullYear();
  const year = current - (current % 100) + digits;
  return year > current + 50 ? year - 100 : year;
}
