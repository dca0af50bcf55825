/** Durations and times as texts, in the forms of Go and of Kubernetes. */

const UNIT_NS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  '\u00b5s': 1e3,
  '\u03bcs': 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
const NS_PER_MS = 1e6;
const TERM = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/y;

/** Annotations are untrusted, so longer texts are not parsed. */
const MAX_LENGTH = 4096;

/**
 * Reads a duration as Go writes it (`1h30m`, `-1.5s`, `300ms`, `0`), the syntax of Kubernetes flags and
 * annotations. Returns milliseconds, or `undefined` for anything else.
 */
export function parseDuration(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const negative = text.startsWith('-');
  const body = /^[+-]/.test(text) ? text.slice(1) : text;
  if (body === '0') return 0;
  if (body === '') return undefined;
  let nanoseconds = 0;
  TERM.lastIndex = 0;
  while (TERM.lastIndex < body.length) {
    const term = TERM.exec(body);
    if (term === null) return undefined;
    nanoseconds += Number(term[1]) * (UNIT_NS[term[2] ?? ''] ?? Number.NaN);
  }
  const milliseconds = nanoseconds / NS_PER_MS;
  return negative ? -milliseconds : milliseconds;
}

/** Writes milliseconds as Go prints a duration: `1h0m0s`, `1.5s`, `300ms`, `0s`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  const rest = Math.abs(ms);
  if (rest < 1) {
    const microseconds = rest * 1e3;
    return microseconds < 1 ? `${sign}${trim(rest * NS_PER_MS)}ns` : `${sign}${trim(microseconds)}\u00b5s`;
  }
  if (rest < 1000) return `${sign}${trim(rest)}ms`;
  const hours = Math.floor(rest / 3_600_000);
  const minutes = Math.floor((rest % 3_600_000) / 60_000);
  const seconds = `${trim((rest % 60_000) / 1000)}s`;
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : `${sign}${seconds}`;
}

/** Nine decimals for nanoseconds, without trailing zeros. */
function trim(value: number): string {
  return String(Number(value.toFixed(9)));
}

const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** RFC 3339 in UTC with whole seconds (`2024-01-01T00:00:00Z`), as metav1.Time is written; the fraction is cut off. */
export function formatTimestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** RFC 3339 in UTC with six decimals (`2024-01-01T00:00:00.123000Z`), as metav1.MicroTime must be written. */
export function formatMicroTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

/** Milliseconds since the epoch, or `undefined` where `text` is not an RFC 3339 time. */
export function parseTimestamp(text: string | undefined): number | undefined {
  if (text === undefined || !RFC3339.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
