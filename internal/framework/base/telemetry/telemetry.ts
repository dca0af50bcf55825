/** What every layer reports: log lines, metrics, traces. The interfaces, with forms that report nothing. */
import { channel } from 'node:diagnostics_channel';

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

/** Work that writes, such as a reconcile, in progress or ended while something of it goes on. */
export interface ObservedRun {
  /** `reconcile of ServiceBinding`, `task`, the name of a runnable. */
  readonly name: string;
  readonly hasEnded: () => boolean;
  /** Of a reconcile, which asks before it writes outside. Default: writes are allowed until the end. */
  readonly reconcile?: {
    /** The object, `namespace/name`. */
    readonly key: string;
    /** The name of the cluster of the object. Writes to others are external. */
    readonly home: string;
    readonly signal: AbortSignal;
    /** How often a write was allowed by `assertMayWrite` so far. */
    readonly allowedWrites: () => number;
  };
}

/**
 * A channel of `node:diagnostics_channel`: tests bind an AsyncLocalStorage to it, and find the run of a write there. Without
 * a test nothing is observed.
 */
export const observedRuns = channel('provider-kyma.run');

/**
 * Performs work after whose end nothing of it writes.
 *
 * @param isOver whether it has ended though it goes on; default: it ends by itself
 */
export async function observeRun<T>(
  name: string,
  work: () => Promise<T>,
  isOver: () => boolean = () => false,
): Promise<T> {
  if (!observedRuns.hasSubscribers) return work();
  let ended = false;
  const run: ObservedRun = { name, hasEnded: () => ended || isOver() };
  return observedRuns.runStores(run, async () => {
    try {
      return await work();
    } finally {
      ended = true;
    }
  });
}

/** What loggers, recorders and metrics without an output would have shown. */
export interface ObservedOutput {
  readonly kind: 'log line' | 'event' | 'metric';
  readonly content: unknown;
  /** Of an event: the object that it is about, `namespace/name`. */
  readonly about?: string | undefined;
}

/** The channel of `node:diagnostics_channel` on which they publish if it has subscribers, which it has in tests. */
export const observedOutput = channel('provider-kyma.output');

export function publishOutput(kind: ObservedOutput['kind'], content: () => unknown, about?: string): void {
  if (observedOutput.hasSubscribers)
    observedOutput.publish({ kind, content: content(), about } satisfies ObservedOutput);
}
