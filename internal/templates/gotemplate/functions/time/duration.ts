import { Failure } from '../define.ts';
import { quoteTime } from './layout.ts';

export const SECOND = 1_000_000_000n;
export const MINUTE = 60n * SECOND;
export const HOUR = 60n * MINUTE;

const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  // The micro sign, and the Greek letter.
  ['\u00b5s', 1000n],
  ['\u03bcs', 1000n],
  ['ms', 1_000_000n],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
]);

const LIMIT = 2n ** 63n;
/** Longer texts are no durations; checked before digits become a bigint. */
const MAX_LENGTH = 1000;

/** Nanoseconds of a duration such as `1h15m30.918s`. @throws Failure */
export function parseDuration(text: string): bigint {
  const invalid = () => new Failure(`time: invalid duration ${quoteTime(text)}`);
  if (text.length > MAX_LENGTH) throw invalid();
  const negative = text.startsWith('-');
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') throw invalid();
  let sum = 0n;
  while (rest !== '') {
    const [number = '', whole = '', fraction = ''] = /^(\d*)(?:\.(\d*))?/.exec(rest) ?? [];
    if (whole === '' && fraction === '') throw invalid();
    rest = rest.slice(number.length);
    const unitText = /^[^.0-9]*/.exec(rest)?.[0] ?? '';
    if (BigInt(whole || 0) > LIMIT) throw invalid();
    if (unitText === '') throw new Failure(`time: missing unit in duration ${quoteTime(text)}`);
    rest = rest.slice(unitText.length);
    const unit = UNITS.get(unitText);
    if (unit === undefined) {
      throw new Failure(`time: unknown unit ${quoteTime(unitText)} in duration ${quoteTime(text)}`);
    }
    let value = BigInt(whole || 0) * unit;
    if (value > LIMIT) throw invalid();
    value += fractionOf(fraction, unit);
    sum += value;
    if (value > LIMIT || sum > LIMIT) throw invalid();
  }
  if (negative) return -sum;
  if (sum === LIMIT) throw invalid();
  return sum;
}

/** As Go computes it, in floating point; digits beyond an int64 do not count. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > (LIMIT - 1n) / 10n || next > LIMIT) break;
    value = next;
    scale *= 10;
  }
  return value === 0n ? 0n : BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

/** A duration as its method String writes it: `1h15m0.5s`, `1.5ms`, `0s`. @param duration in nanoseconds */
export function formatDuration(duration: bigint): string {
  const amount = duration < 0n ? -duration : duration;
  const sign = duration < 0n ? '-' : '';
  if (amount === 0n) return '0s';
  if (amount < 1000n) return `${sign}${amount}ns`;
  if (amount < 1_000_000n) return `${sign}${decimal(amount, 3)}\u00b5s`;
  if (amount < SECOND) return `${sign}${decimal(amount, 6)}ms`;
  const seconds = `${decimal(amount % MINUTE, 9)}s`;
  const minutes = amount / MINUTE;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n
    ? `${sign}${minutes}m${seconds}`
    : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `amount / 10^digits`, without zeros at the end. */
function decimal(amount: bigint, digits: number): string {
  const text = amount.toString().padStart(digits + 1, '0');
  let end = text.length;
  while (end > text.length - digits && text[end - 1] === '0') end--;
  const point = text.length - digits;
  return end === point ? text.slice(0, point) : `${text.slice(0, point)}.${text.slice(point, end)}`;
}

/** Rounded to the nearest multiple, halves away from zero. */
export function roundDuration(duration: bigint, multiple: bigint): bigint {
  const rest = duration % multiple;
  const amount = rest < 0n ? -rest : rest;
  if (amount + amount < multiple) return duration - rest;
  const rounded = duration - rest + (duration < 0n ? -multiple : multiple);
  return rounded >= LIMIT ? LIMIT - 1n : rounded < -LIMIT ? -LIMIT : rounded;
}
