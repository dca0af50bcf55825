import type { Demand } from './promql.ts';

/** A line of a page /metrics. */
export interface Series {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Added by Prometheus to every scrape. */
const TARGET_LABELS = ['job', 'instance'];

export function seriesIn(text: string): Series[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, metric = '', inner = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    const pairs = [...inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]);
    return { metric, labels: Object.fromEntries(pairs) };
  });
}

/** Those that the page does not have, with their labels. */
export const missingIn = <D extends Demand>(series: readonly Series[], asked: readonly D[]): D[] =>
  asked.filter(({ metric, labels, values }) => {
    const own = labels.filter((label) => !TARGET_LABELS.includes(label));
    // Codes come with what goes wrong; of all else, the very value is there from the beginning.
    const fixed = Object.entries(values).filter(([label]) => label !== 'code');
    return !series.some(
      (candidate) =>
        candidate.metric === metric &&
        own.every((label) => label in candidate.labels) &&
        fixed.every(([label, value]) => candidate.labels[label] === value),
    );
  });
