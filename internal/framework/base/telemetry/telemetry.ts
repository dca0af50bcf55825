/** What every layer reports: log lines, metrics, traces. The interfaces, with forms that report nothing. */
import { publishOutput } from './observed-run.ts';

/** Structured fields of a log line. Values must not contain credentials. The sink redacts them as well. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Fields, or a function that is called only when a line needs them. */
export type LazyLogFields = LogFields | (() => LogFields);

/**
 * The logger; passed to every layer, never global. Level `info` is for operators, `debug` for details of reconciles (shown
 * with --debug). Messages are constant texts; values go into fields.
 */
export interface Logger {
  debug(message: string, fields?: LazyLogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to every line. A function is called once, with the first line. */
  child(fields: LazyLogFields): Logger;
}

export const fieldsOf = (fields: LazyLogFields | undefined): LogFields | undefined =>
  typeof fields === 'function' ? fields() : fields;

/** Writes nothing. Tests observe what it is given (observed-output.ts). */
export const nopLogger: Logger = {
  debug: (message, fields) => publishOutput('log line', () => [message, fieldsOf(fields)]),
  info: (message, fields) => publishOutput('log line', () => [message, fields]),
  error: (message, fields) => publishOutput('log line', () => [message, fields]),
  child: () => nopLogger,
};

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

/** Values must not contain credentials. The exporter redacts them as well. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** Low cardinality; variable parts go into attributes. */
  readonly name: string;
  /** Default: none. */
  readonly attributes?: SpanAttributes;
  /** `client`: a request to another process. Default `internal`. */
  readonly kind?: 'internal' | 'client';
}

/** The active span. */
export interface Span {
  /** Adds attributes. */
  set(attributes: SpanAttributes): void;
}

/**
 * Creates traces and spans. An error of `work` is recorded in the span and rethrown. Names and attributes follow the
 * semantic conventions of OpenTelemetry.
 */
export interface Tracer {
  /** Starts a trace. */
  trace<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** A child of the active span. Without an active span, none is created. */
  span<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
}

const nopSpan: Span = { set: () => undefined };

export const nopTracer: Tracer = {
  trace: (_options, work) => work(nopSpan),
  span: (_options, work) => work(nopSpan),
};
