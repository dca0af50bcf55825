/** Which dependencies of a chart are part of it, under which names, and which values it imports of them. */
import { dict, GoMap, isCompatible, type Value } from '../../gotemplate/index.ts';
import { CHART_LIMITS, HelmError } from '../render-request.ts';
import { addDefaults, copyTable, tableAt, valueAt } from '../values/tables.ts';
import type { Chart, Dependency } from './chart.ts';
import { coalesceValues, mergeValues } from './coalesce.ts';

/** @throws HelmError */
export function processDependencies(chart: Chart, values: GoMap): void {
  enableDependencies(chart, values, '');
  importValues(chart);
}

/** @param path of the chart in the values: `parent.child.` */
function enableDependencies(chart: Chart, values: GoMap, path: string): void {
  if (chart.requirements.length === 0) return;
  chart.setDependencies(namedDependencies(chart));
  for (const requirement of chart.requirements) requirement.enabled = true;
  const all = coalesceValues(chart, values);
  applyTags(chart.requirements, all);
  applyConditions(chart.requirements, all, path);
  const disabled = new Set(chart.requirements.filter(({ enabled }) => !enabled).map(({ name }) => name));
  const enabled = chart.dependencies.filter(({ name }) => !disabled.has(name));
  for (const dependency of enabled) enableDependencies(dependency, all, `${path}${dependency.name}.`);
  chart.requirements = chart.requirements.filter(({ name }) => !disabled.has(name));
  chart.setDependencies(enabled);
}

/** Those that nothing requires, and one for each requirement, under its alias. */
function namedDependencies(chart: Chart): Chart[] {
  const fits = (dependency: Chart, { name, version }: Dependency) =>
    dependency.name === name && isCompatible(version, dependency.metadata.version);
  const charts = chart.dependencies.filter(
    (dependency) => !chart.requirements.some((requirement) => fits(dependency, requirement)),
  );
  for (const requirement of chart.requirements) {
    const found = chart.dependencies.find((dependency) => fits(dependency, requirement));
    if (found) {
      const copy = found.copy();
      if (requirement.alias !== '') copy.metadata = { ...copy.metadata, name: requirement.alias };
      charts.push(copy);
    }
    if (requirement.alias !== '') requirement.name = requirement.alias;
  }
  return charts;
}

function applyTags(requirements: readonly Dependency[], values: GoMap): void {
  const tags = tableAt(values, ['tags']);
  if (!tags) return;
  for (const requirement of requirements) {
    const states = requirement.tags.map((tag) => tags.entries.get(tag));
    requirement.enabled = states.includes(true) || !states.includes(false);
  }
}

/** The first path that is a boolean decides. */
function applyConditions(requirements: readonly Dependency[], values: GoMap, path: string): void {
  for (const requirement of requirements) {
    const states = requirement.condition
      .trim()
      .split(',')
      .filter((condition) => condition !== '')
      .map((condition) => valueAt(values, path + condition));
    const decisive = states.find((state) => typeof state === 'boolean');
    if (decisive !== undefined) requirement.enabled = decisive;
  }
}

/** Imports values of dependencies, those of the innermost charts first. */
function importValues(chart: Chart): void {
  for (const dependency of chart.dependencies) importValues(dependency);
  if (chart.requirements.length === 0) return;
  const all = mergeValues(chart, dict());
  let imported = dict();
  for (const { name, importValues: imports } of chart.requirements) {
    for (const value of imports) {
      const found = findImport(all, name, value);
      if (found) imported = addDefaults(imported, found, true);
    }
  }
  chart.values = addDefaults(copyTable(all), imported, true);
}

function findImport(values: GoMap, name: string, value: Value): GoMap | undefined {
  if (typeof value === 'string') return tableAt(values, [name, 'exports', ...keysOf(value)]);
  if (!(value instanceof GoMap)) return undefined;
  const child = textOf(value.entries.get('child'));
  const parent = textOf(value.entries.get('parent'));
  const table = tableAt(values, [name, ...keysOf(child)]);
  if (!table || parent === '.') return table;
  return keysOf(parent).reduceRight((inner, key) => dict([[key, inner]]), table);
}

/** Each is a level of the values. @throws HelmError for more than a value may have */
function keysOf(path: string): string[] {
  const keys = path.split('.', CHART_LIMITS.depth + 1);
  if (keys.length <= CHART_LIMITS.depth) return keys;
  throw new HelmError(`Chart.yaml: a path of import-values has more than ${CHART_LIMITS.depth} keys`);
}

const textOf = (value: Value | undefined): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '<nil>' : String(value);
