import { expect, test } from '@jest/globals';
import { valueAt } from '../../../../../framework/base/json/json-value.ts';
import {
  readGoldenCharts,
  readGoldenResult,
} from '../../../../../templates/helm/goldens/golden-chart.fixture.ts';
import { documentsOf, renderChart } from '../../../../../templates/helm/index.ts';
import { objectsOf } from './manifest-objects.ts';

const charts = readGoldenCharts().flatMap((chart) => {
  const { objects } = readGoldenResult(chart.name);
  return objects === undefined ? [] : [{ ...chart, objects }];
});

test.each(charts)('the objects of a chart are those that Helm reads: $name', ({ files, values, objects }) => {
  const rendered = renderChart({ files, values, release: { name: 'rel', namespace: 'ns' } });
  const read = () => documentsOf(rendered).flatMap(({ source, text }) => objectsOf(text, source));
  // Helm reads objects without a name too, and its API server refuses them.
  const isComplete = objects.every((object) => valueAt(object, ['metadata', 'name']) !== undefined);
  if (isComplete) expect(read().map(({ object }) => object)).toEqual(objects);
  else expect(read).toThrow(/the object has no/);
});
