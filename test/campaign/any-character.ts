import fc from 'fast-check';

const LAST = 0x10ffff;
const SURROGATES = { first: 0xd800, count: 0x800 } as const;

/**
 * Any character of Unicode, as the unit of texts. fast-check's own unit `binary` makes the same texts, and keeps a table of
 * all characters: 80 MB for as long as the process lives.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: LAST - SURROGATES.count })
  .map(characterAt, indexOf);

/** Without halves of characters, which no text has alone. */
function characterAt(index: number): string {
  return String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count);
}

/** For fast-check, which tries texts that are dangerous in JavaScript. */
function indexOf(text: unknown): number {
  const code = typeof text === 'string' ? (text.codePointAt(0) ?? 0) : 0;
  const index = code < SURROGATES.first ? code : code - SURROGATES.count;
  if (characterAt(index) !== text) throw new Error('the text is not one character');
  return index;
}
