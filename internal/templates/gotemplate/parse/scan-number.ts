/** A number in an action: where it ends, and what it is; no type if its syntax is wrong. */
export interface NumberScan {
  readonly type: 'number' | 'complex' | undefined;
  readonly end: number;
}

/** Accepts more than numbers, as Go does; the parser checks the rest. */
export function scanNumber(input: string, start: number): NumberScan {
  const first = scanPart(input, start);
  const sign = input[first.end];
  if (!first.isNumber || (sign !== '+' && sign !== '-')) {
    return { type: first.isNumber ? 'number' : undefined, end: first.end };
  }
  const second = scanPart(input, first.end);
  const isComplex = second.isNumber && input[second.end - 1] === 'i';
  return { type: isComplex ? 'complex' : undefined, end: second.end };
}

const DECIMAL = '0123456789_';
const PREFIXES: Readonly<Record<string, string>> = {
  x: '0123456789abcdefABCDEF_',
  o: '01234567_',
  b: '01_',
};

function scanPart(input: string, start: number): { isNumber: boolean; end: number } {
  let at = start;
  const accept = (valid: string): boolean => {
    const char = input[at];
    if (char === undefined || !valid.includes(char)) return false;
    at++;
    return true;
  };
  const acceptRun = (valid: string) => {
    while (accept(valid));
  };
  accept('+-');
  let base = '';
  if (accept('0')) base = ['x', 'o', 'b'].find((letter) => accept(letter + letter.toUpperCase())) ?? '';
  const digits = PREFIXES[base] ?? DECIMAL;
  acceptRun(digits);
  if (accept('.')) acceptRun(digits);
  const exponent = base === '' ? 'eE' : base === 'x' ? 'pP' : '';
  if (exponent && accept(exponent)) {
    accept('+-');
    acceptRun(DECIMAL);
  }
  accept('i');
  const next = input.codePointAt(at);
  const char = next === undefined ? '' : String.fromCodePoint(next);
  return isAlphaNumeric(char) ? { isNumber: false, end: at + char.length } : { isNumber: true, end: at };
}

/** Whether a character may be part of a name. */
export const isAlphaNumeric = (char: string): boolean => char === '_' || /^[\p{L}\p{Nd}]$/u.test(char);
