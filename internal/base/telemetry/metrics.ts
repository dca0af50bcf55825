/** Label values by label name; every label declared for a metric must be given. */
export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  inc(labels?: Labels, by?: number): void;
}
export interface Gauge {
  set(value: number, labels?: Labels): void;
  inc(labels?: Labels, by?: number): void;
  /** Forgets one label set, so that a vanished thing leaves no stale series. */
  remove(labels: Labels): void;
}
export interface Histogram {
  observe(value: number, labels?: Labels): void;
}

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** What the code needs of a metrics library; asking twice for one name gives the same metric. */
export interface Metrics {
  counter(options: MetricOptions): Counter;
  gauge(options: MetricOptions): Gauge;
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram;
  /** Calls `update` before each read-out, for gauges of spans that are still running. Returns what ends it. */
  onScrape(update: () => void): () => void;
}

export const nopMetrics: Metrics = {
  counter: () => ({ inc: () => undefined }),
  gauge: () => ({ set: () => undefined, inc: () => undefined, remove: () => undefined }),
  histogram: () => ({ observe: () => undefined }),
  onScrape: () => () => undefined,
};
