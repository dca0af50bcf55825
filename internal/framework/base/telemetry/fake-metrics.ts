import { type Labels, type Metrics, publishOutput } from './telemetry.ts';

/** Metrics in memory, for tests. */
export interface FakeMetrics extends Metrics {
  /** The value at a scrape: of a counter or gauge, or the count of a histogram; 0 if nothing was reported. */
  value(name: string, labels?: Labels): number;
  /** The series of a counter or gauge, in the order in which they were first set. */
  series(name: string): readonly { readonly labels: Labels; readonly value: number }[];
  /** The observed values of a histogram, in order. */
  observations(name: string, labels?: Labels): readonly number[];
}

export function createFakeMetrics(): FakeMetrics {
  const values = new Map<string, number>();
  const observed = new Map<string, number[]>();
  const scrapes = new Set<() => void>();
  const seriesOf = (name: string, labels: Labels = {}) =>
    `${name}{${Object.entries(labels)
      .map(([label, value]) => `${label}="${value}"`)
      .sort()
      .join(',')}}`;
  const labelsOf = new Map<string, { readonly name: string; readonly labels: Labels }>();
  const noted = (name: string, labels: Labels = {}) => {
    const series = seriesOf(name, labels);
    publishOutput('metric', () => labels);
    labelsOf.set(series, { name, labels });
    return series;
  };
  const add = (series: string, by: number) => values.set(series, (values.get(series) ?? 0) + by);
  return {
    counter: ({ name }) => ({ inc: (labels, by = 1) => void add(noted(name, labels), by) }),
    gauge: ({ name }) => ({
      set: (value, labels) => void values.set(noted(name, labels), value),
      inc: (labels, by = 1) => void add(noted(name, labels), by),
      remove: (labels) => void values.delete(seriesOf(name, labels)),
    }),
    histogram: ({ name }) => ({
      observe: (value, labels) => {
        const series = seriesOf(name, labels);
        observed.set(series, [...(observed.get(series) ?? []), value]);
        add(series, 1);
      },
    }),
    onScrape: (update) => {
      scrapes.add(update);
      return () => {
        scrapes.delete(update);
      };
    },
    value: (name, labels) => {
      for (const update of scrapes) update();
      return values.get(seriesOf(name, labels)) ?? 0;
    },
    series: (wanted) =>
      [...values].flatMap(([series, value]) => {
        const found = labelsOf.get(series);
        return found?.name === wanted ? [{ labels: found.labels, value }] : [];
      }),
    observations: (name, labels) => observed.get(seriesOf(name, labels)) ?? [],
  };
}
