/**
 * Untrusted texts: error messages of APIs, names, values of fields. They have no limit, so they are cut before they are
 * processed, and processing takes linear time.
 */

/** In characters. The longest text in messages, log lines and traces. */
export const maxTextLength = 16_384;

const ellipsis = '…';

/** At most `limit` characters. A text that was cut ends with an ellipsis. */
export function cutText(text: string, limit = maxTextLength): string {
  if (text.length <= limit) return text;
  return detached(`${text.slice(0, headEnd(text, limit - ellipsis.length))}${ellipsis}`);
}

/**
 * At most `limit` characters. A text that was cut keeps its beginning and its end, with a marker between them that states
 * how many characters are missing.
 */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const markerLength = missing(text.length).length;
  const kept = limit - markerLength;
  // The limit is too small for the marker.
  if (kept < 2) return cutText(text, limit);
  const head = headEnd(text, Math.ceil(kept / 2));
  const tail = tailStart(text, text.length - Math.floor(kept / 2));
  return detached(`${text.slice(0, head)}${missing(tail - head)}${text.slice(tail)}`);
}

/** A copy. V8 keeps a whole text in memory for as long as one of its slices, or what was joined of them, is there. */
const detached = (text: string): string => JSON.parse(JSON.stringify(text)) as string;

const missing = (characters: number) => ` …(${characters} characters)… `;

/** Cut at `limit`, with white space that contains a line break replaced by one space. */
export function oneLine(text: string, limit = maxTextLength): string {
  return cutText(text, limit).replace(/\s+/g, (space) => (/[\n\r\u2028\u2029]/.test(space) ? ' ' : space));
}

/** Cut at `limit`, trimmed, with all white space replaced by single spaces. */
export function singleSpaced(text: string, limit = maxTextLength): string {
  // Twice the limit first, since most of an indented text may be white space.
  return cutText(
    cutText(text, 2 * limit)
      .replace(/\s+/g, ' ')
      .trim(),
    limit,
  );
}

/** Not between the two halves of a surrogate pair. */
const headEnd = (text: string, end: number): number => (isLowSurrogate(text, end) ? end - 1 : end);
const tailStart = (text: string, start: number): number => (isLowSurrogate(text, start) ? start + 1 : start);

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Without all trailing occurrences of `character`. */
export function trimTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end--;
  return text.slice(0, end);
}
