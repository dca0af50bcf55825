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
