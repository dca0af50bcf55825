/**
 * Values that are ordinary words, such as `true`, `eu10` or `instance`: masked everywhere in a text, they would take the sense from it. They
 * are masked only where they stand as a value.
 */

/** A value with the name of its field. */
export interface NamedValue {
  /** Empty: it has none. */
  readonly name: string;
  readonly value: string;
}

/** In characters: longer texts of letters can be passwords. */
const MAX_LENGTH = 24;
const MAX_PARTS = 4;

/** Letters as in a sentence, a region or a size, or a port. */
const PART = /^(?:[a-z]{1,14}|[A-Z][a-z]{1,13}|[A-Z]{1,14}|[a-z]{1,3}\d{1,3}|\d{1,5})$/;

/** Fields with these names have secrets, whatever their value is. */
const SECRET_NAME = /pass|pwd|secret|token|key|cred|pin$|auth|private|cert|salt|seed|phrase/i;

export function isOrdinaryWord({ name, value }: NamedValue): boolean {
  if (value.length > MAX_LENGTH || SECRET_NAME.test(name)) return false;
  const parts = value.split(/[-_.]/, MAX_PARTS + 1);
  return parts.length <= MAX_PARTS && parts.every((part) => PART.test(part));
}

/**
 * Where the value stands as one: in quotes, after an equals sign, or after the name of its field.
 *
 * @param lowerText the text in lower case
 */
export function* occurrencesAsValue(
  text: string,
  lowerText: string,
  { name, value }: NamedValue,
): Generator<number> {
  const lowerName = name.toLowerCase();
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + 1)) {
    const [before = '', after = ''] = [text[at - 1], text[at + value.length]];
    if (WORD.test(before) || WORD.test(after)) continue;
    const isQuoted = QUOTE.test(before) && (QUOTE.test(after) || after === '\\');
    if (isQuoted || before === '=' || isAfterName(lowerText, at, lowerName)) yield at;
  }
}

const WORD = /[\w-]/;
const QUOTE = /["'`]/;
/** Characters between a name and its value: `": \"`. */
const MAX_BETWEEN = 6;

function isAfterName(lowerText: string, at: number, lowerName: string): boolean {
  if (lowerName === '') return false;
  let end = at;
  while (end > 0 && at - end < MAX_BETWEEN && BETWEEN.test(lowerText[end - 1] ?? '')) end--;
  const start = end - lowerName.length;
  return (
    end < at &&
    lowerText.slice(Math.max(start, 0), end) === lowerName &&
    !WORD.test(lowerText[start - 1] ?? '')
  );
}

const BETWEEN = /[\s:="'`\\]/;
