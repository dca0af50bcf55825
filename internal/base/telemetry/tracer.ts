/** What a span says of its work. Values must be free of credentials; whoever exports them scrubs once more. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** One of few, for grouping; what varies goes into attributes. */
  readonly name: string;
  /** Default: none. */
  readonly attributes?: SpanAttributes;
  /** `client`: a request to another process. Default `internal`. */
  readonly kind?: 'internal' | 'client';
}

/** The span of the work that is under way. */
export interface Span {
  /** Adds what is known only later. */
  set(attributes: SpanAttributes): void;
}

/**
 * Measures pieces of work, and which belongs to which. What `work` throws is noted as the span's outcome and thrown on.
 * Names and attributes follow OpenTelemetry's conventions where there are such.
 */
export interface Tracer {
  /** Begins a trace. */
  trace<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** A span within the one that `work` is part of. Where none is under way there will be none. */
  span<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
}

const nopSpan: Span = { set: () => undefined };

export const nopTracer: Tracer = {
  trace: (_options, work) => work(nopSpan),
  span: (_options, work) => work(nopSpan),
};
