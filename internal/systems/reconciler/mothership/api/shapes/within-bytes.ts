/**
 * The first entries of a list that together have at most so many bytes of JSON, but one at least: names and reasons of others decide
 * how large an answer is, and many clients may ask at once.
 */
export function withinBytes<T>(entries: readonly T[], maxBytes: number): readonly T[] {
  let bytes = 0;
  for (const [index, entry] of entries.entries()) {
    bytes += Buffer.byteLength(JSON.stringify(entry) ?? '');
    if (bytes > maxBytes && index > 0) return entries.slice(0, index);
  }
  return entries;
}
