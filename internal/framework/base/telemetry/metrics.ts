/** Label values by label name. Every label of a metric is required. */
export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  inc(labels?: Labels, by?: number): void;
}
export interface Gauge {
  set(value: number, labels?: Labels): void;
  inc(labels?: Labels, by?: number): void;
  /** Removes the series of one label set. */
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

/** Creates metrics. A second call with the same name returns the same metric. */
export interface Metrics {
  counter(options: MetricOptions): Counter;
  gauge(options: MetricOptions): Gauge;
  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram;
  /** Calls `update` before each scrape, for gauges of elapsed time. Returns the function that ends it. */
  onScrape(update: () => void): () => void;
}

export const nopMetrics: Metrics = {
  counter: () => ({ inc: () => undefined }),
  gauge: () => ({ set: () => undefined, inc: () => undefined, remove: () => undefined }),
  histogram: () => ({ observe: () => undefined }),
  onScrape: () => () => undefined,
};
