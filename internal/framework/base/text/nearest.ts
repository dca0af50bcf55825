/** Longer names are compared by their beginning: the time is quadratic. */
const MAX_LENGTH = 128;

/** The candidate with the fewest insertions, deletions and replacements of letters, whatever their case; undefined: there is none. */
export const nearest = (name: string, candidates: Iterable<string>): string | undefined =>
  bestOf(name, candidates)?.candidate;

/** The nearest candidate, if few letters differ, as in a mistyped word. */
export function similar(name: string, candidates: Iterable<string>): string | undefined {
  const best = bestOf(name, candidates);
  const isTypingError =
    best !== undefined &&
    name.length <= MAX_LENGTH &&
    best.distance <= Math.max(2, Math.floor(name.length / 3));
  return isTypingError ? best.candidate : undefined;
}

function bestOf(
  name: string,
  candidates: Iterable<string>,
): { candidate: string; distance: number } | undefined {
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = distanceOf(name, candidate);
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  return best;
}

/** The Levenshtein distance. */
function distanceOf(a: string, b: string): number {
  const [from, to] = [a, b].map((text) => text.slice(0, MAX_LENGTH).toLowerCase());
  let row = Array.from({ length: (to?.length ?? 0) + 1 }, (_, index) => index);
  for (const [line, letter] of [...(from ?? '')].entries()) {
    const before = row;
    row = [line + 1];
    for (const [index, other] of [...(to ?? '')].entries())
      row.push(
        Math.min(
          (before[index + 1] ?? 0) + 1,
          (row[index] ?? 0) + 1,
          (before[index] ?? 0) + (letter === other ? 0 : 1),
        ),
      );
  }
  return row.at(-1) ?? 0;
}
