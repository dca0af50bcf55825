/** What templates see as `.Files`. */
import { basename } from 'node:path/posix';
import {
  type Budget,
  fromBytes,
  GoInteger,
  GoMap,
  type GoMethods,
  GoSlice,
  INTEGER_TYPES,
  stringMap,
  strings,
  typed,
  type Value,
} from '../../gotemplate/index.ts';
import type { NamedFile } from '../chart/chart.ts';
import { encodeYaml } from '../yaml/encode.ts';
import { compileGlob } from './glob.ts';

/** Files by name. */
type Contents = ReadonlyMap<string, Uint8Array>;

export const filesValue = (files: readonly NamedFile[]): GoMap =>
  filesOf(new Map(files.map(({ name, data }) => [name, data])));

function filesOf(contents: Contents): GoMap {
  const entries = new Map<string, Value>([...contents].map(([name, data]) => [name, bytesValue(data)]));
  return new GoMap('[]uint8', entries, false, { name: 'engine.files', methods: methodsOf(contents) });
}

const bytesValue = (data: Uint8Array): GoSlice =>
  new GoSlice('uint8', () => Array.from(data, (byte) => new GoInteger(INTEGER_TYPES.uint8, BigInt(byte))));

const nameIn = (args: readonly Value[]): string => (typeof args[0] === 'string' ? args[0] : '');

function methodsOf(contents: Contents): GoMethods {
  const text = (file: string, budget: Budget): string => {
    const data = contents.get(file) ?? new Uint8Array();
    budget.charge(data.length);
    return fromBytes(data);
  };
  const configMap = (budget: Budget, encode: (data: Uint8Array) => string): string => {
    const entries = [...contents].map(([file, data]): [string, string] => {
      budget.charge(data.length * 2);
      return [basename(file), encode(data)];
    });
    return encodeYaml(stringMap(entries), budget).replace(/\n$/, '');
  };
  return {
    Get: () => typed(['string'], (args, { budget }) => text(nameIn(args), budget)),
    GetBytes: () => typed(['string'], (args) => bytesValue(contents.get(nameIn(args)) ?? new Uint8Array())),
    Glob: () =>
      typed(['string'], (args, { budget }) => {
        budget.step(contents.size);
        const matches = compileGlob(nameIn(args), budget) ?? (() => true);
        return filesOf(new Map([...contents].filter(([file]) => matches(file))));
      }),
    Lines: () =>
      typed(['string'], (args, { budget }) => {
        const whole = text(nameIn(args), budget);
        return strings(whole === '' ? [] : whole.replace(/\n$/, '').split('\n'));
      }),
    AsConfig: () => typed([], (_, { budget }) => configMap(budget, fromBytes)),
    AsSecrets: () =>
      typed([], (_, { budget }) => configMap(budget, (data) => Buffer.from(data).toString('base64'))),
  };
}
