import { describe, expect, test } from '@jest/globals';
import { manifestText, renderChart } from '../render-chart.ts';
import { readGoldenCharts, readGoldenResult } from './golden-chart.fixture.ts';

/** What Helm says of a chart that it refuses, without what it adds for its own flags. */
const reasonOf = (refusal: string): string =>
  refusal
    .replace(/^Error: (?:template: )?/, '')
    .replace(/\n\nUse --debug flag.*$/s, '')
    .trim();

describe('charts render as Helm renders them', () => {
  test.each(readGoldenCharts())('$name', ({ name, sha256, files, values }) => {
    const result = readGoldenResult(name);
    expect(`${name} ${result.sha256}`).toBe(`${name} ${sha256}`);
    const render = () =>
      manifestText(renderChart({ files, values, release: { name: 'rel', namespace: 'ns' } }));
    if (result.refusal === undefined) expect(render()).toBe(result.output);
    else expect(render).toThrow(firstLineOf(reasonOf(result.refusal)));
  });
});

/** An error is one line here; of an error in a template Helm makes several. */
const firstLineOf = (text: string): string => text.split('\n')[0] ?? '';
