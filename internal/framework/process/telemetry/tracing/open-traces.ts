/**
 * Sends traces with the OpenTelemetry SDK to a receiver of OTLP over HTTP. This file and the SDK are loaded only if
 * an endpoint is set. `trace-settings.ts` reads all settings; the SDK reads no environment variable. Traces never
 * delay or fail a reconcile: spans that cannot be sent are dropped, and their number is logged.
 */

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
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { kindOf, messageOf } from '../../../base/errors/errors.ts';
import type { Span, SpanAttributes, SpanOptions, Tracer } from '../../../base/telemetry/telemetry.ts';
import { redact } from '../../../base/text/redact.ts';
import { cutText } from '../../../base/text/text.ts';
import { createSpanExporter } from './span-exporter.ts';
import type { TracesOptions } from './trace-settings.ts';

export interface Traces {
  readonly tracer: Tracer;
  /** Sends pending spans, within 5 s, and closes. */
  close(): Promise<void>;
}

const CLOSE_MS = 5000;

export function openTraces(options: TracesOptions): Traces {
  const { settings, clock, log, scope } = options;
  const exporter = createSpanExporter(options);
  const ended = endedSpans();
  const provider = new TracerProvider({
    resource: resourceFromAttributes(settings.resource),
    sampler: new TraceIdRatioBasedSampler(settings.ratio),
    spanProcessors: [
      ended,
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: settings.delayMs,
        maxQueueSize: settings.maxQueue,
        maxExportBatchSize: Math.min(settings.maxBatch, settings.maxQueue),
      }),
    ],
  });
  const end = async () => {
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(CLOSE_MS, late.resolve);
    const finished = provider
      .shutdown()
      .catch((error: unknown) => log.debug('cannot close traces', { error: messageOf(error) }));
    await Promise.race([finished, late.promise]);
    cancel();
    exporter.destroy();
    const lost = ended.count() - exporter.accepted();
    if (lost > 0) log.info('some spans were not sent', { lost });
  };
  let closed: Promise<void> | undefined;
  return {
    tracer: createTracer(provider.getTracer(scope.name, scope.version)),
    close: () => {
      closed ??= end();
      return closed;
    },
  };
}

/** Counts ended spans of sampled traces, including those dropped because the queue is full. */
function endedSpans(): SpanProcessor & { count(): number } {
  let count = 0;
  return {
    onStart: () => undefined,
    onEnd: () => {
      count += 1;
    },
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
    count: () => count,
  };
}

/** In characters. Longer texts are cut. */
const MAX_TEXT = 1024;

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

/**
 * Implements `Tracer` with OpenTelemetry. The parent of a span comes from the asynchronous context. Credentials are
 * removed from attributes and error messages.
 */
function createTracer(tracer: OtelTracer): Tracer {
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
