import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { kindOf, messageOf } from '../../../base/errors/errors.ts';
import type { Span, SpanAttributes, SpanOptions, Tracer } from '../../../base/telemetry/tracer.ts';
import { redact } from '../../../base/text/redact.ts';
import { cutText } from '../../../base/text/text.ts';

/** In characters. Longer texts are cut. */
const MAX_TEXT = 1024;

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

/**
 * Implements `Tracer` with OpenTelemetry. The parent of a span comes from the asynchronous context. Credentials are
 * removed from attributes and error messages.
 */
export function createTracer(tracer: OtelTracer): Tracer {
  const active = new AsyncLocalStorage<OtelSpan>();

  const run = async <T>(
    { name, kind = 'internal', attributes = {} }: SpanOptions,
    parent: Context,
    work: (span: Span) => Promise<T>,
  ): Promise<T> => {
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: harmless(attributes) }, parent);
    const set = (more: SpanAttributes) => void span.setAttributes(harmless(more));
    try {
      return await active.run(span, () => work({ set }));
    } catch (error) {
      const type = kindOf(error);
      set({ 'error.type': type });
      // Waiting is no error.
      if (type !== 'waiting') {
        span.setStatus({ code: SpanStatusCode.ERROR, message: harmlessText(messageOf(error)) });
      }
      throw error;
    } finally {
      span.end();
    }
  };
  return {
    trace: (options, work) => run(options, ROOT_CONTEXT, work),
    span: (options, work) => {
      const parent = active.getStore();
      // A span that is not sampled, or has ended, e.g. that of a reconcile which started a watch, has no children.
      if (!parent?.isRecording()) return work(nopSpan);
      return run(options, trace.setSpan(ROOT_CONTEXT, parent), work);
    },
  };
}

const nopSpan: Span = { set: () => undefined };

const harmlessText = (text: string) => cutText(redact(text), MAX_TEXT);

const harmless = (attributes: SpanAttributes): SpanAttributes =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string' ? harmlessText(value) : value,
    ]),
  );
