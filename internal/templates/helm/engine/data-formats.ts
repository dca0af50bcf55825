/** The functions of Helm for YAML and JSON. Those without `must` give an empty text, or the error as a value. */
import {
  decodeJson,
  dict,
  encodeJson,
  Failure,
  type GoFunctions,
  GoMap,
  GoSlice,
  INTERFACE,
  list,
  Panic,
  typed,
  typeOf,
  type Value,
} from '../../gotemplate/index.ts';
import { decodeToml } from '../toml/decode-toml.ts';
import { encodeToml, TomlError } from '../toml/encode-toml.ts';
import { YamlError } from '../yaml/cursor.ts';
import { decodeYaml } from '../yaml/decode.ts';
import { encodePrettyYaml, encodeYaml } from '../yaml/encode.ts';

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

export const DATA_FORMATS: GoFunctions = {
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
