/** The functions of sprig that templates can use, by category, with the results of the library sprout of Go. */
import type { GoFunction, GoFunctions } from '../values/value.ts';
import { DEFAULTS } from './defaults.ts';
import { type Body, lenient, strict } from './define.ts';
import { DICTS } from './dicts.ts';
import { ENCODING } from './encoding.ts';
import { LISTS } from './lists.ts';
import { NUMBERS } from './numbers.ts';
import { REGEX } from './regex.ts';
import { SEMVER } from './semver/constraints.ts';
import { RANDOM } from './strings/random.ts';
import { STRINGS } from './strings/strings.ts';
import { DATES } from './time/dates.ts';
import { PATHS, URLS } from './urls.ts';

export interface FunctionCategory {
  readonly title: string;
  readonly names: readonly string[];
}

const BODIES: readonly (readonly [title: string, bodies: Readonly<Record<string, Body>>])[] = [
  ['Strings', STRINGS],
  ['Numbers', NUMBERS],
  ['Lists', LISTS],
  ['Dictionaries', DICTS],
  ['Defaults and values of any type', DEFAULTS],
  ['Encoding, checksums and JSON', ENCODING],
  ['Regular expressions', REGEX],
  ['Dates and durations', DATES],
  ['Versions', SEMVER],
  ['Paths', PATHS],
  ['URLs', URLS],
  ['Random values', RANDOM],
];

export const FUNCTION_CATEGORIES: readonly FunctionCategory[] = BODIES.map(([title, bodies]) => ({
  title,
  names: Object.keys(bodies).sort(),
}));

/** All functions by name. Those whose name begins with `must` end the template with their errors. */
export const SPRIG_FUNCTIONS: GoFunctions = Object.fromEntries(
  BODIES.flatMap(([, bodies]) =>
    Object.entries(bodies).map(([name, body]): [string, GoFunction] => [
      name,
      name.startsWith('must') ? strict(body) : lenient(body),
    ]),
  ),
);
