import { type Budget, GoMap, typeOf } from '../../gotemplate/index.ts';
import type { Chart } from '../chart/chart.ts';
import { HelmError } from '../helm-error.ts';
import type { Problem } from './keyword.ts';
import { validateSchema } from './validate-schema.ts';

/** Checks the values of a chart and of its dependencies by their `values.schema.json`. @throws HelmError */
export function validateValues(chart: Chart, values: GoMap, budget: Budget): void {
  const text = describe(chart, values, budget);
  if (text === '') return;
  throw new HelmError(
    `values don't meet the specifications of the schema(s) in the following chart(s):\n${text}`,
  );
}

function describe(chart: Chart, values: GoMap, budget: Budget): string {
  let text = '';
  if (chart.schema) {
    try {
      const problems = validateSchema(values, chart.schema, `${chart.fullPath}/values.schema.json`, budget);
      if (problems.length > 0) text += `${chart.name}:\n${problems.map(line).join('\n')}\n`;
    } catch (error) {
      if (!(error instanceof HelmError)) throw error;
      text += `${chart.name}:\n${error.message}\n`;
    }
  }
  for (const dependency of chart.dependencies) {
    const own = values.entries.get(dependency.name);
    if (own === undefined || own === null) continue;
    if (own instanceof GoMap) text += describe(dependency, own, budget);
    else text += `${dependency.name}:\ninvalid type for values: expected object (map), got ${typeOf(own)}\n`;
  }
  return text;
}

const line = ({ path, text }: Problem): string =>
  `- at '${path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}': ${text}`;
