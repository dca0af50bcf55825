/**
 * Fingerprints of texts that must be found in other texts without being kept: credentials are read on demand and stored nowhere, but
 * must be masked as long as an API that knows them may quote them.
 *
 * A fingerprint is a rolling hash (Rabin and Karp) with random bases. A text that has the same one by chance is masked as well; an
 * occurrence is never missed.
 */
import { randomInt } from 'node:crypto';

export interface Fingerprints {
  /** Odd numbers of 32 bits, drawn for these texts. */
  readonly bases: readonly [number, number];
  /** By the length of the texts: linear time for each length. */
  readonly byLength: ReadonlyMap<
    number,
    readonly {
      readonly hashes: readonly [number, number];
      /** False: the text is the beginning of a longer one. */
      readonly whole: boolean;
    }[]
  >;
}

export function fingerprintsOf(
  texts: Iterable<{ readonly text: string; readonly whole: boolean }>,
): Fingerprints {
  const bases = [randomBase(), randomBase()] as const;
  const byLength = new Map<number, { hashes: readonly [number, number]; whole: boolean }[]>();
  for (const { text, whole } of texts) {
    const hashes = [hashOf(text, bases[0]), hashOf(text, bases[1])] as const;
    byLength.set(text.length, [...(byLength.get(text.length) ?? []), { hashes, whole }]);
  }
  return { bases, byLength };
}

/** Where the texts occur: `[start, end]`, to the end of `text` for the beginning of a longer one. */
export function* occurrencesOf(
  text: string,
  { bases: [first, second], byLength }: Fingerprints,
): Generator<readonly [start: number, end: number]> {
  for (const [length, fingerprints] of byLength) {
    if (length > text.length) continue;
    const [topFirst, topSecond] = [power(first, length), power(second, length)];
    let one = hashOf(text.slice(0, length), first);
    let other = hashOf(text.slice(0, length), second);
    for (let end = length; ; end++) {
      for (const { hashes, whole } of fingerprints) {
        if (hashes[0] === one && hashes[1] === other) yield [end - length, whole ? end : text.length];
      }
      if (end === text.length) break;
      const [added, removed] = [text.charCodeAt(end), text.charCodeAt(end - length)];
      one = (Math.imul(one, first) + added - Math.imul(removed, topFirst)) | 0;
      other = (Math.imul(other, second) + added - Math.imul(removed, topSecond)) | 0;
    }
  }
}

const randomBase = (): number => randomInt(2 ** 31) * 2 + 1;

function hashOf(text: string, base: number): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, base) + text.charCodeAt(at)) | 0;
  return hash;
}

/** `base` to the power of `exponent`, in 32 bits. */
function power(base: number, exponent: number): number {
  let result = 1;
  for (let step = 0; step < exponent; step++) result = Math.imul(result, base);
  return result;
}
