/**
 * The header Retry-After of any server: the forms of RFC 9110, section 10.2.3, and the time of Service Manager
 * (`2024-01-01 12:00:30 +0000 UTC`). The value is untrusted, so it is limited.
 */
import { MAX_RETRY_AFTER_MS } from '../../base/errors/errors.ts';

/** Prevents a busy loop. */
export const MIN_RETRY_AFTER_MS = 1000;

/** Longer than every form of a date. */
const MAX_LENGTH = 64;

export interface RetryAfterHeaders {
  readonly retryAfter: string | undefined;
  /** The header Date. A date in Retry-After is relative to it, since the clocks may differ. */
  readonly date?: string | undefined;
}

/**
 * The delay in ms, from 1 s to `maxMs`. Undefined if the header is absent or invalid.
 *
 * @param nowMs ms since the epoch, used if the response has no Date
 */
export function parseRetryAfter(
  headers: RetryAfterHeaders,
  nowMs: number,
  maxMs = MAX_RETRY_AFTER_MS,
): number | undefined {
  const bounded = (ms: number) => Math.max(Math.min(ms, maxMs), MIN_RETRY_AFTER_MS);
  const value = trimmed(headers.retryAfter);
  if (/^\d+$/.test(value)) return bounded(Number(value) * 1000);
  const date = parseHttpDate(value, nowMs) ?? parseUtcTime(value);
  if (date === undefined) return undefined;
  return bounded(date - (parseHttpDate(trimmed(headers.date), nowMs) ?? nowMs));
}

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
    const { day, month = '', year = '', hour, minute, second } = parts;
    const monthIndex = months.indexOf(month);
    if (monthIndex < 0) return undefined;
    const full = year.length === 2 ? fullYear(Number(year), nowMs) : Number(year);
    return Date.UTC(full, monthIndex, Number(day), Number(hour), Number(minute), Number(second));
  }
  return undefined;
}

const utcTime = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?![\d:])/;

/** `2024-01-01 12:00:30`, in UTC. What follows is ignored. */
function parseUtcTime(text: string): number | undefined {
  const parts = utcTime.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day, hour, minute, second] = parts.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** A two-digit year more than 50 years in the future is in the past century (RFC 9110, section 5.6.7). */
function fullYear(digits: number, nowMs: number): number {
  const current = new Date(nowMs).getUTCFullYear();
  const year = current - (current % 100) + digits;
  return year > current + 50 ? year - 100 : year;
}
