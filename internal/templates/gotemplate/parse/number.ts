import { quote, unquoteRune } from '../format/quote.ts';
import type { NumberNode } from './nodes.ts';
import type { Token } from './tokens.ts';

/** The values of a constant, or the text of an error. */
export function readNumber({ type, text, position }: Token): NumberNode | string {
  const node = { kind: 'number', position, text } as const;
  if (type === 'charConstant') {
    const rune = unquoteRune(text);
    if (!rune) return 'invalid syntax';
    if (rune.rest !== "'") return `malformed character constant: ${text}`;
    return { ...node, signed: BigInt(rune.code), unsigned: BigInt(rune.code), float: rune.code };
  }
  const isImaginary = text.endsWith('i') && readFloat(text.slice(0, -1)) !== undefined;
  if (type === 'complex' || isImaginary) return `complex constants are not supported: ${quote(text)}`;
  const magnitude = readInteger(text.replace(/^[+-]/, ''));
  const isNegative = text.startsWith('-');
  const integer = magnitude !== undefined && isNegative ? -magnitude : magnitude;
  if (integer !== undefined) {
    const signed = BigInt.asIntN(64, integer) === integer ? integer : undefined;
    // A sign makes it signed, except for -0.
    const hasSign = isNegative || text.startsWith('+');
    const isUnsigned = BigInt.asUintN(64, integer) === integer && (!hasSign || integer === 0n);
    const unsigned = isUnsigned ? integer : undefined;
    if (signed !== undefined || unsigned !== undefined) {
      return { ...node, signed, unsigned, float: Number(signed ?? unsigned) };
    }
  }
  const float = readFloat(text);
  if (float === undefined) return `illegal number syntax: ${quote(text)}`;
  if (!/[.eEpP]/.test(text)) return `integer overflow: ${quote(text)}`;
  const exact = Number.isInteger(float) ? BigInt(float) : undefined;
  const signed = exact !== undefined && BigInt.asIntN(64, exact) === exact ? exact : undefined;
  const unsigned = exact !== undefined && BigInt.asUintN(64, exact) === exact ? exact : undefined;
  return { ...node, signed, unsigned, float };
}

/** Digits with an optional prefix (0x, 0o, 0b, 0) and underscores between them; undefined if it is something else. */
function readInteger(text: string): bigint | undefined {
  if (!hasGoodUnderscores(text)) return undefined;
  const digits = text.replaceAll('_', '');
  if (/^0[0-7]+$/.test(digits)) return BigInt(`0o${digits.slice(1)}`);
  if (/^(0|[1-9][0-9]*|0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/.test(digits)) return BigInt(digits);
  return undefined;
}

/** Undefined also for numbers that are too large. */
function readFloat(text: string): number | undefined {
  if (!hasGoodUnderscores(text.replace(/^[+-]/, ''))) return undefined;
  const digits = text.replaceAll('_', '');
  const value = /^[+-]?0[xX]/.test(digits) ? readHexFloat(digits) : readDecimalFloat(digits);
  return value === undefined || !Number.isFinite(value) ? undefined : value;
}

const readDecimalFloat = (text: string): number | undefined =>
  /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : undefined;

function readHexFloat(text: string): number | undefined {
  const match = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/.exec(text);
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match ?? [];
  if (!match || whole + fraction === '') return undefined;
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -value : value;
}

/** Underscores are only between digits, or after a prefix. */
function hasGoodUnderscores(text: string): boolean {
  if (!text.includes('_')) return true;
  const prefix = /^0[xXbBoO]/.test(text) ? 2 : 0;
  const isHex = prefix > 0 && (text[1] === 'x' || text[1] === 'X');
  const digit = isHex ? /[0-9a-fA-F]/ : /[0-9]/;
  let last = prefix > 0 ? 'digit' : 'start';
  for (const char of text.slice(prefix)) {
    const kind = char === '_' ? 'underscore' : digit.test(char) ? 'digit' : 'other';
    if (kind === 'underscore' && last !== 'digit') return false;
    if (last === 'underscore' && kind !== 'digit') return false;
    last = kind;
  }
  return last !== 'underscore';
}
