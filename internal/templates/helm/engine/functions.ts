/** The functions of Helm that are the same in all templates. */
import {
  dict,
  durationIn,
  durationValue,
  Failure,
  FunctionError,
  formatFloat,
  type GoFunctions,
  GoInteger,
  INTERFACE,
  int64,
  parseDuration,
  parseFloat64,
  quote,
  roundDuration,
  SHORTEST,
  SPRIG3_FUNCTIONS,
  typed,
  typeOf,
  type Value,
} from '../../gotemplate/index.ts';
import { DATA_FORMATS } from './data-formats.ts';

// The functions for durations that Helm has besides those of sprig. Numbers are seconds.

const SECOND = 1_000_000_000n;
const MAX_SECONDS = (2n ** 63n - 1n) / SECOND;

/** Nanoseconds. @throws Failure */
function toDuration(value: Value): bigint {
  const duration = durationIn(value);
  if (duration !== undefined) return duration;
  if (typeof value === 'string') return parseText(value);
  if (value === null) throw new Failure('invalid duration');
  if (typeof value === 'number') return fromSeconds(value);
  if (!(value instanceof GoInteger)) throw new Failure(`unsupported duration type ${typeOf(value)}`);
  const seconds = value.value;
  if (seconds > MAX_SECONDS || seconds < -MAX_SECONDS)
    throw new Failure(`duration seconds overflow: ${seconds}`);
  return seconds * SECOND;
}

function parseText(text: string): bigint {
  const trimmed = text.trim();
  if (trimmed === '') throw new Failure('empty duration');
  try {
    return parseDuration(trimmed);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
  const seconds = parseFloat64(trimmed);
  if (seconds === undefined) throw new Failure(`could not parse duration ${quote(text)}`);
  return fromSeconds(seconds);
}

function fromSeconds(seconds: number): bigint {
  const text = formatFloat(seconds, 'g', SHORTEST);
  if (!Number.isFinite(seconds)) throw new Failure(`invalid duration seconds: ${text}`);
  if (Math.abs(seconds) > 2 ** 63 / 1e9) throw new Failure(`duration seconds overflow: ${text}`);
  return BigInt(Math.trunc(seconds * 1e9));
}

const inUnit = (nanoseconds: bigint, unit: bigint): number =>
  Number(nanoseconds / unit) + Number(nanoseconds % unit) / Number(unit);

const lenient = (result: (nanoseconds: bigint) => Value, zero: Value) =>
  typed([INTERFACE], ([value = null]) => result(toDuration(value)), { orElse: () => zero });

const hours = (nanoseconds: bigint): number => inUnit(nanoseconds, 3600n * SECOND);

const toMultiple = (change: (duration: bigint, multiple: bigint) => bigint) =>
  typed(
    [INTERFACE, INTERFACE],
    ([value = null, by = null]) => {
      const duration = toDuration(value);
      let multiple: bigint;
      try {
        multiple = toDuration(by);
      } catch (error) {
        if (error instanceof Failure) return durationValue(duration);
        throw error;
      }
      return durationValue(multiple <= 0n ? duration : change(duration, multiple));
    },
    { orElse: () => durationValue(0n) },
  );

const DURATION_FUNCTIONS: GoFunctions = {
  mustToDuration: typed([INTERFACE], ([value = null]) => durationValue(toDuration(value))),
  durationSeconds: lenient((value) => inUnit(value, SECOND), 0),
  durationMilliseconds: lenient((value) => int64(value / 1_000_000n), int64(0)),
  durationMicroseconds: lenient((value) => int64(value / 1000n), int64(0)),
  durationNanoseconds: lenient((value) => int64(value), int64(0)),
  durationMinutes: lenient((value) => inUnit(value, 60n * SECOND), 0),
  durationHours: lenient(hours, 0),
  durationDays: lenient((value) => hours(value) / 24, 0),
  durationWeeks: lenient((value) => hours(value) / 24 / 7, 0),
  durationRoundTo: toMultiple(roundDuration),
  durationTruncateTo: toMultiple((duration, multiple) => duration - (duration % multiple)),
};

/** Around messages of charts, which are all that is reported of an error. */
export const WARNING_START = 'HELM_ERR_START';
export const WARNING_END = 'HELM_ERR_END';

const warning = (text: unknown): FunctionError =>
  new FunctionError(`${WARNING_START}${String(text)}${WARNING_END}`);

export const HELM_FUNCTIONS: GoFunctions = {
  ...SPRIG3_FUNCTIONS,
  ...DATA_FORMATS,
  ...DURATION_FUNCTIONS,
  fail: typed(['string'], ([message]) => {
    throw warning(message);
  }),
  // No names are resolved.
  getHostByName: typed(['string'], () => ''),
  // There is no cluster to look into.
  lookup: typed(['string', 'string', 'string', 'string'], () => dict()),
  required: typed(
    ['string', INTERFACE],
    ([message, value = null]) => {
      if (value === null || value === '') throw warning(message);
      return value;
    },
    { any: true },
  ),
};
