import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBytes } from '../values/text.ts';
import {
  fromJson,
  GoInteger,
  GoMap,
  GoSlice,
  INTEGER_TYPES,
  type IntegerType,
  type Value,
} from '../values/value.ts';

/** A template with its data, and what Go makes of it. README.md has the form of the files. */
export interface GoldenCase {
  readonly file: string;
  readonly name: string;
  readonly template: string;
  readonly data: Value;
  readonly option: string;
  readonly builtinsOnly: boolean;
  readonly expected: { readonly output: string } | { readonly error: string };
}

interface Results {
  readonly casesSha256: string;
  readonly results: Record<string, { output?: string; outputBase64?: string; error?: string }>;
}

type Settings = Omit<GoldenCase, 'file' | 'name' | 'expected'>;

/** The case files, relative to this folder: `engine/actions.cases`. */
export const goldenFiles = (): string[] => globSync('*/*.cases', { cwd: import.meta.dirname }).sort();

/** The cases of one file. @throws if the results are of another version of it */
export function readGoldenCases(file: string): GoldenCase[] {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  const results: Results = JSON.parse(
    readFileSync(join(import.meta.dirname, file.replace(/[.]cases$/, '.results.json')), 'utf8'),
  );
  if (createHash('sha256').update(text).digest('hex') !== results.casesSha256) {
    throw new Error(`${file} was changed after its results were made: run npm run goldens`);
  }
  const [head = '', ...sections] = `\n${text}`.split('\n## ');
  const { settings: defaults } = readSettings(
    { template: '', data: fromJson({}), option: 'missingkey=error', builtinsOnly: false },
    head,
  );
  return sections.map((section) => {
    const [name = '', ...lines] = section.split('\n');
    const { settings, rest } = readSettings(defaults, lines.join('\n'));
    const { output, outputBase64, error } = results.results[name] ?? {};
    if (output === undefined && outputBase64 === undefined && error === undefined) {
      throw new Error(`${file}: no result of "${name}"`);
    }
    return {
      ...settings,
      file,
      name,
      template: settings.template || withoutLastLines(rest),
      expected:
        error !== undefined
          ? { error }
          : { output: output ?? fromBytes(Buffer.from(outputBase64 ?? '', 'base64')) },
    };
  });
}

/** The lines `#data …`, `#option …`, `#template …`, `#builtins` and comments at the start of a text, and the rest. */
function readSettings(defaults: Settings, text: string): { settings: Settings; rest: string } {
  let settings = defaults;
  const lines = text.split('\n');
  for (const [i, line] of lines.entries()) {
    const space = line.indexOf(' ');
    const key = space < 0 ? line : line.slice(0, space);
    const value = space < 0 ? '' : line.slice(space + 1);
    if (key === '#data') settings = { ...settings, data: withTypes(JSON.parse(value)) };
    else if (key === '#option') settings = { ...settings, option: value };
    else if (key === '#template') settings = { ...settings, template: JSON.parse(value) };
    else if (key === '#builtins') settings = { ...settings, builtinsOnly: true };
    else if (line !== '' && key !== '#') return { settings, rest: lines.slice(i).join('\n') };
  }
  return { settings, rest: '' };
}

function withoutLastLines(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

/** JSON, in which `{"$go": "int8", "value": 5}` is a value of another type. */
function withTypes(json: unknown): Value {
  if (Array.isArray(json)) return new GoSlice('interface {}', json.map(withTypes));
  if (typeof json !== 'object' || json === null) return fromJson(json);
  const members = new Map(Object.entries(json));
  const type = members.get('$go');
  if (typeof type === 'string') return typedValue(type, members.get('value') ?? null);
  return new GoMap('interface {}', new Map([...members].map(([key, value]) => [key, withTypes(value)])));
}

function typedValue(type: string, value: unknown): Value {
  const integer = Object.values<IntegerType>(INTEGER_TYPES).find(({ name }) => name === type);
  if (integer) return new GoInteger(integer, BigInt(String(value)));
  if (type === 'float64')
    return value === '+Inf' || value === '-Inf' ? Number(`${value}inity`) : Number(value);
  if (type === '[]uint8') {
    const bytes = [...Buffer.from(String(value))];
    return new GoSlice(
      'uint8',
      bytes.map((byte) => new GoInteger(INTEGER_TYPES.uint8, BigInt(byte))),
    );
  }
  if (type.startsWith('[]')) {
    const items = Array.isArray(value) ? value : [];
    return new GoSlice(
      type.slice(2),
      items.map((item) => elementOf(type.slice(2), item)),
      value === null,
    );
  }
  if (type.startsWith('map[string]')) {
    const entries = Object.entries(typeof value === 'object' && value !== null ? value : {});
    const valueType = type.slice('map[string]'.length);
    return new GoMap(
      valueType,
      new Map(entries.map(([key, item]) => [key, elementOf(valueType, item)])),
      value === null,
    );
  }
  throw new Error(`data of unknown type ${type}`);
}

const elementOf = (type: string, json: unknown): Value =>
  type === 'interface {}' || type === 'string' ? fromJson(json) : typedValue(type, json);
