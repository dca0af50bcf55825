/** The functions of Helm that are the same in all templates. */
import {
  decodeJson,
  dict,
  durationIn,
  durationValue,
  encodeJson,
  Failure,
  FunctionError,
  formatFloat,
  type GoFunctions,
  GoInteger,
  GoMap,
  GoSlice,
  INTERFACE,
  int64,
  list,
  Panic,
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
import { decodeToml } from '../toml/decode-toml.ts';
import { encodeToml, TomlError } from '../toml/encode-toml.ts';
import { YamlError } from '../yaml/cursor.ts';
import { decodeYaml } from '../yaml/decode.ts';
import { encodePrettyYaml, encodeYaml } from '../yaml/encode.ts';

// The functions of Helm for YAML and JSON. Those without `must` give an empty text, or the error as a value.

const textIn = (args: readonly Value[]): string => (typeof args[0] === 'string' ? args[0] : '');

/** Errors of the YAML library as those of a function. */
function failing<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof YamlError || error instanceof TomlError) throw new Failure(error.message);
    throw error;
  }
}

const withoutBreak = (text: string): string => text.replace(/\n$/, '');

type Target = 'map' | 'list';

/** A value where a map or a list is wanted. */
function asTarget(value: Value, target: Target): Value {
  if (target === 'map' ? value instanceof GoMap : value instanceof GoSlice) return value;
  const type = target === 'map' ? 'map[string]interface {}' : '[]interface {}';
  throw new Failure(`json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`);
}

const NIL_MAP = new GoMap(INTERFACE, new Map(), true);
const NIL_LIST = new GoSlice(INTERFACE, [], true);

function jsonKind(value: Value): string {
  if (value instanceof GoMap) return 'object';
  if (value instanceof GoSlice) return 'array';
  const type = typeOf(value);
  return type === 'float64' ? 'number' : (type ?? 'null');
}

const errorValue =
  (target: Target) =>
  ({ message }: Failure): Value =>
    target === 'map' ? dict([['Error', message]]) : list([message]);

const fromYaml = (target: Target) =>
  typed(
    ['string'],
    (args, { budget }) => {
      let value: Value;
      try {
        // The library leaves the empty map or list as it is, to which keys can be added; JSON makes it nil.
        value = decodeYaml(textIn(args), budget) ?? (target === 'map' ? dict() : list([]));
      } catch (error) {
        if (!(error instanceof YamlError)) throw error;
        throw new Failure(`error converting YAML to JSON: ${error.message}`);
      }
      try {
        return asTarget(value, target);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        throw new Failure(`error unmarshaling JSON: while decoding JSON: ${error.message}`);
      }
    },
    { orElse: errorValue(target) },
  );

const fromJson = (target: Target) =>
  typed(
    ['string'],
    (args, { budget }) => {
      try {
        const value = decodeJson(textIn(args), budget);
        return asTarget(value ?? (target === 'map' ? NIL_MAP : NIL_LIST), target);
      } catch (error) {
        if (error instanceof Failure) throw new Failure(error.message.replace(/^json decode error: /, ''));
        throw error;
      }
    },
    { orElse: errorValue(target) },
  );

const toYaml = (orElse?: () => Value) =>
  typed([INTERFACE], ([value = null], { budget }) => failing(() => withoutBreak(encodeYaml(value, budget))), {
    ...(orElse && { orElse }),
  });

const toJson = (orElse?: () => Value) =>
  typed([INTERFACE], ([value = null], { budget }) => encodeJson(value, { escapesHtml: true }, budget), {
    ...(orElse && { orElse }),
  });

const nothing = () => '';

const toToml = (orElse?: (failure: Failure) => Value) =>
  typed(
    [INTERFACE],
    ([value = null], { budget }) => {
      // Go panics, so that `toToml`, which returns the texts of errors, fails too.
      if (value === null) throw new Panic('reflect: call of reflect.Value.Type on zero Value');
      return failing(() => encodeToml(value, budget));
    },
    { ...(orElse && { orElse }) },
  );

const DATA_FORMATS: GoFunctions = {
  fromJson: fromJson('map'),
  fromJsonArray: fromJson('list'),
  fromYaml: fromYaml('map'),
  fromYamlArray: fromYaml('list'),
  fromToml: typed(['string'], (args, { budget }) => failing(() => decodeToml(textIn(args), budget)), {
    orElse: errorValue('map'),
  }),
  mustToJson: toJson(),
  mustToToml: toToml(),
  mustToYaml: toYaml(),
  toJson: toJson(nothing),
  toToml: toToml(({ message }) => message),
  toYaml: toYaml(nothing),
  toYamlPretty: typed(
    [INTERFACE],
    ([value = null], { budget }) => failing(() => withoutBreak(encodePrettyYaml(value, budget))),
    { orElse: nothing },
  ),
};

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
