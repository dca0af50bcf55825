/** The order in which the library of Helm writes the keys of a map: letters after other characters, numbers by their value. */
export const sortYamlKeys = (keys: readonly string[]): string[] => {
  const split = keys.map((key) => ({ key, runes: Array.from(key, (char) => char.codePointAt(0) ?? 0) }));
  return split.sort((one, other) => compareRunes(one.runes, other.runes)).map(({ key }) => key);
};

function compareRunes(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const one = a[i] ?? 0;
    const other = b[i] ?? 0;
    if (one === other) continue;
    const isLetter = isLetterCode(one);
    const isOtherLetter = isLetterCode(other);
    if (isLetter && isOtherLetter) return one - other;
    if (isLetter || isOtherLetter) return isOtherLetter ? -1 : 1;
    return compareNumbers(a, b, i) || one - other;
  }
  return a.length - b.length;
}

/** The numbers that both have at `at`; 0 if they do not decide. */
function compareNumbers(a: readonly number[], b: readonly number[], at: number): number {
  // Behind digits, a zero is part of a number that is not 0.
  const isInNumber = (a[at] === ZERO || b[at] === ZERO) && endsInNumber(a, at);
  const start = isInNumber ? 1n : 0n;
  const one = readNumber(a, at, start);
  const other = readNumber(b, at, start);
  if (one.value !== other.value) return one.value < other.value ? -1 : 1;
  return one.end - other.end;
}

const ZERO = 0x30;

function endsInNumber(runes: readonly number[], end: number): boolean {
  for (let i = end - 1; i >= 0 && isDigitCode(runes[i] ?? 0); i--) if (runes[i] !== ZERO) return true;
  return false;
}

function readNumber(runes: readonly number[], at: number, start: bigint): { value: bigint; end: number } {
  let value = start;
  let end = at;
  for (; end < runes.length && isDigitCode(runes[end] ?? 0); end++) {
    value = BigInt.asIntN(64, value * 10n + BigInt((runes[end] ?? 0) - ZERO));
  }
  return { value, end };
}

const isAscii = (code: number): boolean => code < 0x80;

function isLetterCode(code: number): boolean {
  if (isAscii(code)) return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return /^\p{L}$/u.test(String.fromCodePoint(code));
}

function isDigitCode(code: number): boolean {
  if (isAscii(code)) return code >= ZERO && code <= 0x39;
  return /^\p{Nd}$/u.test(String.fromCodePoint(code));
}
