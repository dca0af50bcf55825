import {
  collectDefaultMetrics,
  Counter as PromCounter,
  Gauge as PromGauge,
  Histogram as PromHistogram,
  Registry,
} from 'prom-client';
import type { Metrics } from '../../base/telemetry/telemetry.ts';

/** The page of an HTTP endpoint for scrapers. */
export interface MetricsPage {
  readonly contentType: string;
  text(): Promise<string>;
}

export interface PrometheusOptions {
  /** Also report memory, CPU, event loop and garbage collection of this process. Default false. */
  readonly processMetrics?: boolean;
}

/** Metrics in a registry of prom-client, and the page that shows them. */
export function createPrometheusMetrics({
  processMetrics = false,
}: PrometheusOptions = {}): Metrics & MetricsPage {
  const registry = new Registry();
  const updates = new Set<() => void>();
  const known = new Map<string, unknown>();
  /** One metric for each name: prom-client refuses duplicates. */
  const once = <M>(name: string, create: () => M, isSame: (found: unknown) => found is M): M => {
    const found = known.get(name);
    if (isSame(found)) return found;
    const created = create();
    known.set(name, created);
    return created;
  };
  const shared = (options: { name: string; help: string; labels?: readonly string[] }) => ({
    name: options.name,
    help: options.help,
    labelNames: [...(options.labels ?? [])],
    registers: [registry],
  });
  if (processMetrics) collectDefaultMetrics({ register: registry });
  return {
    counter: (options) => {
      const counter = once(
        options.name,
        () => new PromCounter(shared(options)),
        (found) => found instanceof PromCounter,
      );
      return { inc: (labels = {}, by = 1) => counter.inc(labels, by) };
    },
    gauge: (options) => {
      const gauge = once(
        options.name,
        () => new PromGauge(shared(options)),
        (found) => found instanceof PromGauge,
      );
      return {
        set: (value, labels = {}) => gauge.set(labels, value),
        inc: (labels = {}, by = 1) => gauge.inc(labels, by),
        remove: (labels) => gauge.remove(labels),
      };
    },
    histogram: (options) => {
      const histogram = once(
        options.name,
        () => new PromHistogram({ ...shared(options), buckets: [...options.buckets] }),
        (found) => found instanceof PromHistogram,
      );
      return { observe: (value, labels = {}) => histogram.observe(labels, value) };
    },
    onScrape: (update) => {
      updates.add(update);
      return () => {
        updates.delete(update);
      };
    },
    contentType: registry.contentType,
    text: () => {
      for (const update of updates) update();
      return registry.metrics();
    },
  };
}
