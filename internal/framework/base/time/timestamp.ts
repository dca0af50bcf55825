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
