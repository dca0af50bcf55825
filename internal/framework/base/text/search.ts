/** A shorter text is searched by V8, which may compare all of it at each position. */
const LONG = 64;

export interface SearchOptions {
  /** Default false. */
  readonly overlapping?: boolean;
}

/**
 * The positions of `search` in `whole` from left to right. It takes linear time (Knuth, Morris, Pratt): V8's own
 * search of long texts takes their product for texts like `aaab`, minutes for a megabyte, and cannot be interrupted.
 *
 * @param search not empty
 */
export function* occurrences(
  whole: string,
  search: string,
  { overlapping = false }: SearchOptions = {},
): Generator<number> {
  if (search.length < LONG) {
    const step = overlapping ? 1 : search.length;
    for (let at = whole.indexOf(search); at >= 0; at = whole.indexOf(search, at + step)) yield at;
    return;
  }
  if (search.length > whole.length) return;
  const borders = bordersOf(search);
  let matched = 0;
  for (let at = 0; at < whole.length; at++) {
    const code = whole.charCodeAt(at);
    while (matched > 0 && search.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
    if (search.charCodeAt(matched) === code) matched++;
    if (matched === search.length) {
      yield at - matched + 1;
      matched = overlapping ? (borders[matched - 1] ?? 0) : 0;
    }
  }
}

/** For each beginning of the text: the length of its longest proper beginning that is its end too. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at++) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = borders[length - 1] ?? 0;
    if (text.charCodeAt(at) === text.charCodeAt(length)) length++;
    borders[at] = length;
  }
  return borders;
}
