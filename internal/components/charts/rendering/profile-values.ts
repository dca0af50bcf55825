import { isObject } from '../../../base/json/json-field.ts';
import type { ChartFile } from '../../../helm/chart-renderer.ts';
import type { ChartOptions } from '../../model/charts.ts';
import type { Values } from './values.ts';
import type { YamlReader } from './yaml-reader.ts';
import { invalid } from './yaml-text.ts';

/** Reads the files of a chart that have values. */
export interface ValuesReader extends ChartOptions {
  readonly files: readonly ChartFile[];
  readonly reader: Pick<YamlReader, 'valueOf'>;
}

/** What `values.yaml` has; nothing if there is no such file. */
export const chartValues = async (chart: ValuesReader): Promise<Values> =>
  (await valuesOf(chart, ['values.yaml'])) ?? {};

/**
 * The values of a profile: `profile-<p>.yaml`, else `<p>.yaml`, in lower case; nothing if the chart has neither.
 *
 * @throws an error with file and line if it cannot be parsed
 */
export async function profileValues(chart: ValuesReader, profile: string): Promise<Values> {
  const name = profile.toLowerCase();
  if (name === '') return {};
  return (await valuesOf(chart, [`profile-${name}.yaml`, `${name}.yaml`])) ?? {};
}

async function valuesOf(chart: ValuesReader, names: readonly string[]): Promise<Values | undefined> {
  const { files, reader } = chart;
  for (const name of names) {
    const file = files.find((each) => each.name === name);
    if (file === undefined) continue;
    const text = { source: name, text: new TextDecoder().decode(file.data) };
    const value = (await reader.valueOf(text, chart)) ?? {};
    if (!isObject(value)) throw invalid(name, 1, 'the values are no map');
    return value;
  }
  return undefined;
}
