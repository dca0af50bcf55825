/**
 * Tables of command flags. One entry gives parsing, bounds, help, environment variable and documentation. Durations are
 * written as in Go (`1m30s`). Values out of bounds are refused, also from environment variables.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ProviderError } from '../base/errors/errors.ts';
import { parseDuration } from '../base/time/formats.ts';

interface OtherNames {
  readonly short?: string;
  /** Default: PROVIDER_KYMA_<FLAG>. */
  readonly env?: string;
}
interface FlagBase<T> extends OtherNames {
  readonly default: T;
  readonly help: string;
}
export type Flag =
  | (FlagBase<boolean> & { readonly type: 'boolean' })
  /** Default, `min` and `max`, written as in Go. */
  | (FlagBase<number> & {
      readonly type: 'duration';
      readonly defaultText: string;
      readonly min: string;
      readonly max: string;
    })
  | (FlagBase<number> & { readonly type: 'integer'; readonly min: number; readonly max: number })
  | (FlagBase<string> & { readonly type: 'string'; readonly form: TextForm });

/** The form of a flag's text. */
export interface TextForm {
  /** Completes `want …`. */
  readonly description: string;
  readonly accepts: (text: string) => boolean;
}

/** The default form, also of options that are not in a table. */
const MAX_TEXT = 4096;
export const anyText: TextForm = {
  description: `at most ${MAX_TEXT} characters`,
  accepts: (text) => text.length <= MAX_TEXT,
};

export const boolean = (value: boolean, help: string, more: OtherNames = {}) =>
  ({ type: 'boolean', default: value, help, ...more }) as const;
export const duration = (text: string, min: string, max: string, help: string, more: OtherNames = {}) =>
  ({ type: 'duration', default: msOf(text), defaultText: text, min, max, help, ...more }) as const;
export const integer = (value: number, min: number, max: number, help: string, more: OtherNames = {}) =>
  ({ type: 'integer', default: value, min, max, help, ...more }) as const;
export const string = (value: string, form: TextForm, help: string, more: OtherNames = {}) =>
  ({ type: 'string', default: value, form, help, ...more }) as const;

/** Milliseconds of a duration in this table. */
const msOf = (text: string): number => parseDuration(text) ?? Number.NaN;

/** Flags by name, without leading dashes. */
export type FlagTable = Readonly<Record<string, Flag>>;

type CamelCase<S extends string> = S extends `${infer A}-${infer B}` ? `${A}${Capitalize<CamelCase<B>>}` : S;
type Widen<T> = T extends boolean ? boolean : T extends number ? number : string;
/** The parsed flags of a table. Durations are in milliseconds. */
export type FlagValues<T extends FlagTable> = {
  readonly [K in keyof T & string as CamelCase<K>]: Widen<T[K]['default']>;
};

/** Flags of one component under a heading of their own in `--help`. */
export interface FlagGroup {
  readonly heading: string;
  readonly flags: FlagTable;
}

/** All tables of a union in one. */
export type AllOf<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void
  ? All
  : never;

/**
 * One table with the flags of all groups.
 *
 * @throws a bug if two groups have a flag or an environment variable of the same name
 */
export function joinGroups<G extends FlagGroup>(groups: readonly G[]): AllOf<G['flags']> {
  const owners = new Map<string, string>();
  for (const { heading, flags } of groups) {
    const names = Object.entries<Flag>(flags).flatMap(([name, flag]) => [
      `--${name}`,
      environmentTwin(name, flag),
    ]);
    for (const name of names) {
      const owner = owners.get(name);
      if (owner !== undefined) throw new ProviderError('bug', `${name} is in "${owner}" and in "${heading}"`);
      owners.set(name, heading);
    }
  }
  return Object.fromEntries(groups.flatMap(({ flags }) => Object.entries<Flag>(flags))) as AllOf<G['flags']>;
}

/** The defaults. */
export function defaultsOf<T extends FlagTable>(table: T): FlagValues<T> {
  const camelCase = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const entries = Object.entries(table).map(([name, flag]) => [camelCase(name), flag.default]);
  return Object.fromEntries(entries) as FlagValues<T>;
}

export function environmentTwin(name: string, flag: { readonly env?: string }): string {
  return flag.env ?? `PROVIDER_KYMA_${name.replaceAll('-', '_').toUpperCase()}`;
}

/** The allowed values, e.g. `1s to 24h`. */
export function boundsOf(flag: Flag): string {
  switch (flag.type) {
    case 'boolean':
      return 'true or false';
    case 'duration':
    case 'integer':
      return `${flag.min} to ${flag.max}`;
    case 'string':
      return flag.form.description;
    default:
      return flag satisfies never;
  }
}

/** Adds the flags of a table to a command. @param heading in its help; default: that of all options */
export function addFlags(command: Command, table: FlagTable, heading?: string): Command {
  for (const [name, flag] of Object.entries(table)) addFlag(command, name, flag, heading);
  return command;
}

/** Adds the flags of all groups to a command. @throws a bug if two groups have the same flag or environment variable */
export function addGroups(command: Command, groups: readonly FlagGroup[]): Command {
  joinGroups(groups);
  for (const { heading, flags } of groups) addFlags(command, flags, heading);
  return command;
}

/** Limits the length of option values that have no parser. */
export function boundTexts(command: Command): void {
  for (const option of command.options) {
    if (option.required && option.parseArg === undefined) option.argParser(parserOfText(anyText));
  }
}

/** Adds a boolean flag that takes no value. */
export function addSwitch(command: Command, name: string, flag: Flag, env: NodeJS.ProcessEnv): void {
  const variable = environmentTwin(name, flag);
  const set = env[variable];
  const value = set === undefined ? false : booleanIn(set);
  command.addOption(new Option(namesOf(name, flag), flag.help).default(value ?? false));
  // Checked when the command runs, since other commands may not use the variable.
  command.hook('preAction', () => {
    if (value !== undefined) return;
    command.error(
      `error: option '--${name}' value '${set}' from env '${variable}' is invalid. want ${boundsOf(flag)}.`,
    );
  });
}

export function addFlag(command: Command, name: string, flag: Flag, heading?: string): void {
  const value = flag.type === 'boolean' ? ' [true|false]' : ` <${flag.type}>`;
  const option = new Option(namesOf(name, flag) + value, helpOf(flag))
    .env(environmentTwin(name, flag))
    .default(flag.default, flag.type === 'duration' ? flag.defaultText : undefined)
    .argParser(parserOf(flag));
  if (flag.type === 'boolean') option.preset('true');
  if (heading !== undefined) option.helpGroup(heading);
  command.addOption(option);
  if (flag.type === 'boolean') command.addOption(new Option(`--no-${name}`).hideHelp());
}

const namesOf = (name: string, { short }: Flag) => `${short === undefined ? '' : `-${short}, `}--${name}`;

/** Bounds besides those of the type. */
const helpOf = (flag: Flag): string =>
  flag.type === 'boolean' || flag.type === 'string' ? flag.help : `${flag.help} (${boundsOf(flag)})`;

function booleanIn(text: string): boolean | undefined {
  if (/^(true|1|t|yes)$/i.test(text)) return true;
  if (/^(false|0|f|no|)$/i.test(text)) return false;
  return undefined;
}

function parserOf(flag: Flag): (text: string) => boolean | number | string {
  const refusal = () => new InvalidArgumentError(`want ${wantedOf(flag)}.`);
  switch (flag.type) {
    case 'boolean':
      return (text) => {
        const parsed = booleanIn(text);
        if (parsed === undefined) throw refusal();
        return parsed;
      };
    case 'duration':
      return (text) => {
        const parsed = parseDuration(text) ?? Number.NaN;
        if (!(parsed >= msOf(flag.min) && parsed <= msOf(flag.max))) throw refusal();
        return parsed;
      };
    case 'integer':
      return (text) => {
        const parsed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
        if (!(parsed >= flag.min && parsed <= flag.max)) throw refusal();
        return parsed;
      };
    case 'string':
      return parserOfText(flag.form);
    default:
      return flag satisfies never;
  }
}

function wantedOf(flag: Flag): string {
  if (flag.type === 'duration') return `a duration such as 90s or 1m30s, ${boundsOf(flag)}`;
  return flag.type === 'integer' ? `a whole number, ${boundsOf(flag)}` : boundsOf(flag);
}

const parserOfText =
  ({ accepts, description }: TextForm) =>
  (text: string): string => {
    if (!accepts(text)) throw new InvalidArgumentError(`want ${description}.`);
    return text;
  };
