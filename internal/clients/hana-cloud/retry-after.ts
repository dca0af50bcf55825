/** A longer wait is taken for a mistake of the server. */
const MAX_MS = 3_600_000;
/** A shorter one would be a loop. */
const MIN_MS = 1000;

/**
 * The milliseconds that a Retry-After header asks for, in seconds or as an HTTP date (RFC 9110, section 10.2.3),
 * between 1 s and 1 h; undefined if there is none that can be read.
 *
 * @param headers names in lower case. A date is counted from the answer's own Date, where it has one, since the two
 * clocks may differ.
 * @param nowMs the local time
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  const wait = /^\d+$/.test(value) ? Number(value) * 1000 : untilDate(value, headers.date, nowMs);
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, MIN_MS), MAX_MS);
}

function untilDate(value: string, serverDate: string | undefined, nowMs: number): number {
  // Date.parse takes much that is no HTTP date, such as "-1" or "3,5".
  if (!/^[A-Z][a-z]{2,8},? /.test(value)) return Number.NaN;
  const serverNow = Date.parse(serverDate ?? '');
  return Date.parse(value) - (Number.isNaN(serverNow) ? nowMs : serverNow);
}
