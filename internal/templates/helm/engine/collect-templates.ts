import {
  compareText,
  dict,
  Failure,
  fromBytes,
  GoMap,
  type GoMethods,
  INTERFACE,
  list,
  stringMap,
  typed,
  type Value,
} from '../../gotemplate/index.ts';
import type { Chart } from '../chart/chart.ts';
import type { Dependency, Maintainer } from '../chart/metadata.ts';
import { tableAt, valueAt } from '../values/tables.ts';
import { encodeYaml } from '../yaml/encode.ts';
import { filesValue } from './files.ts';

/** A template with what it sees. */
export interface ChartTemplate {
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
