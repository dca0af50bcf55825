import { basename } from 'node:path/posix';
import {
  type Budget,
  compareText,
  compilePattern,
  dict,
  Failure,
  fromBytes,
  GoInteger,
  GoMap,
  type GoMethods,
  GoSlice,
  INTEGER_TYPES,
  INTERFACE,
  list,
  stringMap,
  strings,
  typed,
  type Value,
} from '../../gotemplate/index.ts';
import type { Chart, Dependency, Maintainer, NamedFile } from '../chart/chart.ts';
import { tableAt, valueAt } from '../values/tables.ts';
import { encodeYaml } from '../yaml/encode.ts';

/** A template with what it sees. */
interface ChartTemplate {
  /** `chart/templates/service.yaml` */
  readonly path: string;
  readonly text: string;
  readonly data: GoMap;
  readonly basePath: string;
}

/** The templates of a chart and its dependencies, in the order in which they are executed: those of inner charts first. */
export function collectTemplates(chart: Chart, data: GoMap): ChartTemplate[] {
  const templates = new Map<string, ChartTemplate>();
  collect(chart, data, templates);
  return [...templates.values()].sort((one, other) => -comparePaths(one.path, other.path));
}

function collect(chart: Chart, outer: GoMap, templates: Map<string, ChartTemplate>): GoMap {
  const subcharts = dict();
  const data = dict([
    ['Chart', chartValue(chart)],
    ['Files', filesValue(chart.files)],
    ['Release', outer.entries.get('Release') ?? null],
    ['Capabilities', outer.entries.get('Capabilities') ?? null],
    ['Values', ownValues(chart, outer)],
    ['Subcharts', subcharts],
  ]);
  for (const dependency of chart.dependencies) {
    subcharts.entries.set(dependency.name, collect(dependency, data, templates));
  }
  const basePath = `${chart.fullPath}/templates`;
  for (const { name, data: bytes } of chart.templates) {
    if (chart.isLibrary && !name.slice(name.lastIndexOf('/') + 1).startsWith('_')) continue;
    const path = `${chart.fullPath}/${name}`;
    templates.set(path, { path, text: fromBytes(bytes), data: valuesOf(data), basePath });
  }
  return data;
}

const tableOf = (receiver: Value): GoMap => (receiver instanceof GoMap ? receiver : dict());

const VALUES_METHODS: GoMethods = {
  AsMap: (receiver) => typed([], () => new GoMap(INTERFACE, tableOf(receiver).entries)),
  PathValue: (receiver) =>
    typed(['string'], ([path]) => {
      const value = valueAt(tableOf(receiver), String(path));
      if (value === undefined)
        throw new Failure(`${JSON.stringify(String(path).split('.').at(-1))} is not a value`);
      return value;
    }),
  Table: (receiver) =>
    typed(['string'], ([path]) => {
      const table = tableAt(tableOf(receiver), String(path).split('.'));
      if (!table) throw new Failure(`${JSON.stringify(String(path).split('.').at(-1))} is not a table`);
      return valuesOf(table);
    }),
  YAML: (receiver) => typed([], (_, { budget }) => encodeYaml(tableOf(receiver), budget)),
};

/** A map of the type `Values`, which shares its entries with the table. */
export const valuesOf = (table: GoMap): GoMap =>
  new GoMap(INTERFACE, table.entries, false, { name: 'common.Values', methods: VALUES_METHODS });

function ownValues(chart: Chart, outer: GoMap): Value {
  if (!chart.parent) return outer.entries.get('Values') ?? null;
  return valuesOf(tableAt(outer, ['Values', ...chart.name.split('.')]) ?? dict());
}

const depth = (path: string): number => path.split('/').length;

const comparePaths = (one: string, other: string): number =>
  depth(one) - depth(other) || compareText(one, other);

/** What templates see as `.Chart`. */
function chartValue(chart: Chart): GoMap {
  const { metadata } = chart;
  return dict([
    ['Name', metadata.name],
    ['Home', metadata.home],
    ['Sources', list(metadata.sources)],
    ['Version', metadata.version],
    ['Description', metadata.description],
    ['Keywords', list(metadata.keywords)],
    ['Maintainers', list(metadata.maintainers.map(maintainerValue))],
    ['Icon', metadata.icon],
    ['APIVersion', metadata.apiVersion],
    ['Condition', metadata.condition],
    ['Tags', metadata.tags],
    ['AppVersion', metadata.appVersion],
    ['Deprecated', metadata.deprecated],
    ['Annotations', annotationsValue(metadata.annotations)],
    ['KubeVersion', metadata.kubeVersion],
    ['Dependencies', list(chart.requirements.map(dependencyValue))],
    ['Type', metadata.type],
    ['IsRoot', chart.parent === undefined],
  ]);
}

const annotationsValue = (annotations: ReadonlyMap<string, string> | undefined): Value =>
  annotations === undefined ? new GoMap('string', new Map(), true) : stringMap(annotations);

const maintainerValue = ({ name, email, url }: Maintainer): Value =>
  dict([
    ['Name', name],
    ['Email', email],
    ['URL', url],
  ]);

const dependencyValue = (dependency: Dependency): Value =>
  dict([
    ['Name', dependency.name],
    ['Version', dependency.version],
    ['Repository', dependency.repository],
    ['Condition', dependency.condition],
    ['Tags', list(dependency.tags)],
    ['Enabled', dependency.enabled],
    ['ImportValues', list(dependency.importValues.map(importValue))],
    ['Alias', dependency.alias],
  ]);

/** As it is after the values were imported. */
function importValue(value: Value): Value {
  if (typeof value === 'string') {
    return stringMap([
      ['child', `exports.${value}`],
      ['parent', '.'],
    ]);
  }
  const entries = value instanceof GoMap ? value.entries : new Map<string, Value>();
  return stringMap(['child', 'parent'].map((key) => [key, String(entries.get(key) ?? '<nil>')]));
}

/** What templates see as `.Files`. */

/** Files by name. */
type Contents = ReadonlyMap<string, Uint8Array>;

const filesValue = (files: readonly NamedFile[]): GoMap =>
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

/**
 * Patterns of file names as `.Files.Glob` has them: `*` and `?` within a folder, `**` across folders, `[a-z]`, `[!a]`,
 * `{one,two}`, `\x`. Undefined: the pattern is malformed.
 */
function compileGlob(pattern: string, budget: Budget): ((name: string) => boolean) | undefined {
  const source = new GlobCompiler(pattern).compile();
  if (source === undefined) return undefined;
  // Of RE2, which takes linear time.
  const compiled = compilePattern(`(?s)^(?:${source})$`, budget);
  return (name) => compiled.find(name, 0) !== undefined;
}

const escapeCharacter = (char: string): string => `\\x{${(char.codePointAt(0) ?? 0).toString(16)}}`;

class GlobCompiler {
  readonly #chars: readonly string[];
  #at = 0;
  /** Open braces. */
  #depth = 0;

  constructor(pattern: string) {
    this.#chars = Array.from(pattern);
  }

  compile(): string | undefined {
    let source = '';
    while (this.#at < this.#chars.length) {
      const part = this.#part(this.#chars[this.#at++] ?? '');
      if (part === undefined) return undefined;
      source += part;
    }
    return this.#depth === 0 ? source : undefined;
  }

  #part(char: string): string | undefined {
    if (char === '*') {
      let stars = 1;
      while (this.#chars[this.#at] === '*') {
        stars++;
        this.#at++;
      }
      return stars > 1 ? '.*' : '[^/]*';
    }
    if (char === '?') return '[^/]';
    if (char === '\\') {
      const next = this.#chars[this.#at++];
      return next === undefined ? undefined : escapeCharacter(next);
    }
    if (char === '[') return this.#set();
    if (char === '{') {
      this.#depth++;
      return '(?:';
    }
    if (char === '}' && this.#depth > 0) {
      this.#depth--;
      return ')';
    }
    if (char === ',' && this.#depth > 0) return '|';
    return escapeCharacter(char);
  }

  #set(): string | undefined {
    const end = this.#chars.indexOf(']', this.#at + 1);
    if (end < 0) return undefined;
    let content = this.#chars.slice(this.#at, end);
    this.#at = end + 1;
    const isNegated = content[0] === '!';
    if (isNegated) content = content.slice(1);
    if (content.length === 0) return undefined;
    const [low = '', dash, high] = content;
    const body =
      content.length === 3 && dash === '-' && high !== undefined
        ? `${escapeCharacter(low)}-${escapeCharacter(high)}`
        : content
            .filter((char) => char !== '\\')
            .map(escapeCharacter)
            .join('');
    if (content.length === 3 && dash === '-' && high !== undefined && low > high) return undefined;
    return `[${isNegated ? '^' : ''}${body}]`;
  }
}
