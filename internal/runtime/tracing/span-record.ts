import type { SpanAttributes, SpanOptions } from '../../base/tracer.ts';

/** A span that has ended. */
export interface SpanRecord {
  /** 32 hexadecimal digits. */
  readonly traceID: string;
  /** 16 hexadecimal digits. */
  readonly spanID: string;
  /** Absent for the one that began the trace. */
  readonly parentID?: string;
  readonly name: string;
  readonly kind: NonNullable<SpanOptions['kind']>;
  /** Milliseconds since the Unix epoch, with a fraction. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: SpanAttributes;
  /** Present if its work failed. */
  readonly error?: string;
}
