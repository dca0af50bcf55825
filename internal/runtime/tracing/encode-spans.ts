import type { SpanAttributes } from '../../base/tracer.ts';
import type { SpanRecord } from './span-record.ts';

/** `SPAN_KIND_…`. */
const KINDS: Readonly<Record<SpanRecord['kind'], number>> = { internal: 1, client: 3 };
/** `STATUS_CODE_ERROR`. */
const FAILED = 2;

/** An `ExportTraceServiceRequest` of OTLP in its JSON form: 64-bit integers are texts, IDs hexadecimal. */
export function encodeSpans(spans: readonly SpanRecord[], resource: SpanAttributes, scope: object): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [{ scope, spans: spans.map(encodeSpan) }],
      },
    ],
  });
}

const encodeSpan = (span: SpanRecord) => ({
  traceId: span.traceID,
  spanId: span.spanID,
  ...(span.parentID === undefined ? {} : { parentSpanId: span.parentID }),
  name: span.name,
  kind: KINDS[span.kind],
  startTimeUnixNano: nanoseconds(span.startedAt),
  endTimeUnixNano: nanoseconds(span.endedAt),
  attributes: encodeAttributes(span.attributes),
  status: span.error === undefined ? {} : { code: FAILED, message: span.error },
});

/** A number of nanoseconds would not be exact. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return `${BigInt(whole) * 1_000_000n + BigInt(Math.floor((ms - whole) * 1e6))}`;
}

const encodeAttributes = (attributes: SpanAttributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }));

function encodeValue(value: SpanAttributes[string]) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
}
