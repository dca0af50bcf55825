import { isObject } from '../../../../../framework/base/index.ts';

import type { Budget } from '../../../../../templates/gotemplate/index.ts';
import type { ChartFile } from '../../../../../templates/helm/index.ts';
import { boundedJson, VALUES_BOUNDS } from './manifest-objects.ts';
import type { Values } from './values.ts';
import { invalid, parseYamlText } from './yaml-text.ts';

/** What `values.yaml` has; nothing if there is no such file. @throws as `profileValues` */
export const chartValues = (files: readonly ChartFile[], budget: Budget): Values =>
  valuesOf(files, ['values.yaml'], budget) ?? {};

/**
 * The values of a profile: `profile-<p>.yaml`, else `<p>.yaml`, in lower case; nothing if the chart has neither.
 *
 * @throws an error with file and line if it cannot be parsed
 */
export function profileValues(files: readonly ChartFile[], profile: string, budget: Budget): Values {
  const name = profile.toLowerCase();
  return name === '' ? {} : (valuesOf(files, [`profile-${name}.yaml`, `${name}.yaml`], budget) ?? {});
}

function valuesOf(files: readonly ChartFile[], names: readonly string[], budget: Budget): Values | undefined {
  for (const name of names) {
    const file = files.find((each) => each.name === name);
    if (file === undefined) continue;
    const value = parseYamlText(new TextDecoder().decode(file.data), name, 1, budget) ?? {};
    if (!isObject(value)) throw invalid(name, 1, 'the values are no map');
    boundedJson(value, name, VALUES_BOUNDS);
    return value;
  }
  return undefined;
}
