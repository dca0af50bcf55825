/**
 * The wait that a Retry-After header asks for, in ms: seconds, or a date as RFC 9110 allows.
 * Undefined where there is none or it cannot be read.
 *
 * @param nowMs ms since the epoch
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
