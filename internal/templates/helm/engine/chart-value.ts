import { dict, GoMap, list, stringMap, type Value } from '../../gotemplate/index.ts';
import type { Chart } from '../chart/chart.ts';
import type { Dependency, Maintainer } from '../chart/metadata.ts';

/** What templates see as `.Chart`. */
export function chartValue(chart: Chart): GoMap {
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
