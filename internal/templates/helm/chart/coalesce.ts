import { dict, type GoMap, typeOf, type Value } from '../../gotemplate/index.ts';
import { HelmError } from '../render-request.ts';
import { addDefaults, copyTable, isTable, removeNil } from '../values/tables.ts';
import type { Chart } from './chart.ts';

const GLOBAL = 'global';

/**
 * The values of a chart and its dependencies under those that are given, with global ones passed down. A given nil removes
 * a value of a chart.
 *
 * @throws HelmError if the value with the name of a dependency is no table
 */
export const coalesceValues = (chart: Chart, values: GoMap): GoMap =>
  coalesce(chart, copyTable(values), false);

/** As `coalesceValues`, but nil values stay. */
export const mergeValues = (chart: Chart, values: GoMap): GoMap => coalesce(chart, copyTable(values), true);

function coalesce(chart: Chart, values: GoMap, keepsNil: boolean): GoMap {
  addChartValues(chart, values, keepsNil);
  for (const dependency of chart.dependencies) {
    const existing = values.entries.get(dependency.name);
    if (existing === undefined) values.entries.set(dependency.name, dict());
    else if (!isTable(existing)) {
      throw new HelmError(`type mismatch on ${dependency.name}: ${typeOf(existing) ?? 'nil'} is no table`);
    }
    const own = values.entries.get(dependency.name);
    if (!isTable(own)) continue;
    passGlobals(own, values);
    coalesce(dependency, own, keepsNil);
  }
  return values;
}

function passGlobals(to: GoMap, from: GoMap): void {
  const existing = to.entries.get(GLOBAL);
  const given = from.entries.get(GLOBAL);
  const target = existing === undefined ? dict() : existing;
  const source = given === undefined ? dict() : given;
  if (!isTable(target) || !isTable(source)) return;
  for (const [key, value] of source.entries) {
    const own = target.entries.get(key);
    if (!isTable(value)) {
      if (!isTable(own)) target.entries.set(key, value);
      continue;
    }
    const copy = dict(value.entries);
    if (own === undefined) target.entries.set(key, copy);
    else if (isTable(own)) target.entries.set(key, addDefaults(copy, own, true));
  }
  to.entries.set(GLOBAL, target);
}

function addChartValues(chart: Chart, values: GoMap, keepsNil: boolean): void {
  for (const [key, value] of copyTable(chart.values).entries) {
    const given = values.entries.get(key);
    if (given === undefined) addMissing(values, key, value, keepsNil);
    else if (given === null) {
      if (!keepsNil) values.entries.delete(key);
    } else if (isTable(given) && isTable(value)) {
      const keeps = keepsNil || chart.dependencies.some(({ name }) => name === key);
      if (!keeps) removeNil(value);
      addDefaults(given, value, keeps);
    }
  }
}

function addMissing(values: GoMap, key: string, value: Value, keepsNil: boolean): void {
  if (!keepsNil) {
    if (value === null) return;
    if (isTable(value)) removeNil(value);
  }
  values.entries.set(key, value);
}
