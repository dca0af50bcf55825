/** Text of float64 numbers, as strconv.FormatFloat gives it. */

/** The verbs of a float; `f` has no capital form, since only the exponent is a letter. */
export type FloatVerb = 'e' | 'E' | 'f' | 'g' | 'G' | 'x' | 'X' | 'b';

/** As few digits as identify the number. */
export const SHORTEST = -1;

/** 0.digits × 10^point, without zeros at the end; no digits for 0. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** @param precision digits after the point; for g and G significant digits; `SHORTEST` */
export function formatFloat(value: number, verb: FloatVerb, precision: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : '+Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return sign + formatPositive(Math.abs(value), verb, precision);
}

/** A float32 with as few digits as identify it, as `g` formats it. */
export function formatFloat32(value: number): string {
  const single = Math.fround(value);
  for (let digits = 1; digits < 9; digits++) {
    if (Math.fround(Number(single.toPrecision(digits))) === single) {
      return formatFloat(Number(single.toPrecision(digits)), 'g', SHORTEST);
    }
  }
  return formatFloat(Number(single.toPrecision(9)), 'g', SHORTEST);
}

function formatPositive(value: number, verb: FloatVerb, precision: number): string {
  if (verb === 'b') return binary(value);
  if (verb === 'x' || verb === 'X') return hexadecimal(value, verb, precision);
  const shortest = precision < 0;
  const exact = shortest ? shortestDecimal(value) : exactDecimal(value);
  if (verb === 'f') {
    const decimal = shortest ? exact : round(exact, exact.point + precision);
    return fixed(decimal, shortest ? Math.max(decimal.digits.length - decimal.point, 0) : precision);
  }
  if (verb === 'e' || verb === 'E') {
    const decimal = shortest ? exact : round(exact, precision + 1);
    return exponential(decimal, shortest ? decimal.digits.length - 1 : precision, verb);
  }
  const wanted = shortest ? exact.digits.length : precision || 1;
  const decimal = shortest ? exact : round(exact, wanted);
  return general(decimal, wanted, shortest, verb === 'g' ? 'e' : 'E');
}

/** The form without exponent if the exponent is small, as %g chooses it. */
function general(decimal: Decimal, precision: number, shortest: boolean, letter: 'e' | 'E'): string {
  const count = decimal.digits.length;
  let limit = precision;
  if (limit > count && count >= decimal.point) limit = count;
  if (shortest) limit = 6;
  const exponent = decimal.point - 1;
  if (exponent < -4 || exponent >= limit) {
    return exponential(decimal, Math.min(precision, count) - 1, letter);
  }
  const digits = precision > decimal.point ? count : precision;
  return fixed(decimal, Math.max(digits - decimal.point, 0));
}

function fixed({ digits, point }: Decimal, precision: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (precision <= 0) return whole;
  const zeros = '0'.repeat(Math.min(Math.max(-point, 0), precision));
  return `${whole}.${(zeros + digits.slice(Math.max(point, 0))).slice(0, precision).padEnd(precision, '0')}`;
}

function exponential({ digits, point }: Decimal, precision: number, letter: string): string {
  const first = digits[0] ?? '0';
  const more = precision > 0 ? `.${digits.slice(1, precision + 1).padEnd(precision, '0')}` : '';
  return `${first}${more}${letter}${signedExponent(digits === '' ? 0 : point - 1)}`;
}

const signedExponent = (exponent: number): string =>
  `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;

function shortestDecimal(value: number): Decimal {
  if (value === 0) return { digits: '', point: 0 };
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** All digits, of which a float64 has at most 767. JavaScript rounds ties up, Go to even. */
function exactDecimal(value: number): Decimal {
  if (value === 0) return { digits: '', point: 0 };
  const { mantissa, exponent } = parts(value);
  const whole = exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent);
  const text = whole.toString();
  return { digits: withoutZeros(text), point: text.length + Math.min(exponent, 0) };
}

/** To `count` digits, ties to even. */
function round(decimal: Decimal, count: number): Decimal {
  const { digits, point } = decimal;
  if (count < 0 || count >= digits.length) return decimal;
  const kept = digits.slice(0, count);
  const tie = count + 1 === digits.length && digits[count] === '5';
  const up = tie ? count > 0 && Number(digits[count - 1]) % 2 === 1 : (digits[count] ?? '') >= '5';
  if (!up) return { digits: withoutZeros(kept), point: count === 0 ? 0 : point };
  const raised = (BigInt(kept || '0') + 1n).toString();
  return { digits: withoutZeros(raised), point: raised.length > count ? point + 1 : point };
}

function withoutZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

/** mantissa × 2^exponent. */
function parts(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  const exponent = Number((bits >> 52n) & 0x7ffn);
  return exponent === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: exponent - 1075 };
}

function binary(value: number): string {
  const { mantissa, exponent } = parts(value);
  return `${mantissa}p${exponent >= 0 ? '+' : ''}${exponent}`;
}

/** Bits of the fraction after the leading 1: 15 hexadecimal digits. */
const FRACTION_BITS = 60n;

function hexadecimal(value: number, verb: 'x' | 'X', precision: number): string {
  let { mantissa, exponent } = parts(value);
  exponent = mantissa === 0n ? 0 : exponent + 52;
  mantissa <<= FRACTION_BITS - 52n;
  while (mantissa !== 0n && mantissa >> FRACTION_BITS === 0n) {
    mantissa <<= 1n;
    exponent--;
  }
  if (precision >= 0 && precision < 15) {
    const dropped = FRACTION_BITS - BigInt(precision * 4);
    const half = 1n << (dropped - 1n);
    const rest = mantissa & ((1n << dropped) - 1n);
    mantissa >>= dropped;
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa++;
    mantissa <<= dropped;
    if (mantissa >> (FRACTION_BITS + 1n)) {
      mantissa >>= 1n;
      exponent++;
    }
  }
  const fraction = (mantissa & ((1n << FRACTION_BITS) - 1n)).toString(16).padStart(15, '0');
  const digits = precision < 0 ? withoutZeros(fraction) : fraction.slice(0, precision).padEnd(precision, '0');
  const text = `0x${mantissa >> FRACTION_BITS}${digits && `.${digits}`}p${signedExponent(exponent)}`;
  return verb === 'X' ? text.toUpperCase() : text;
}
