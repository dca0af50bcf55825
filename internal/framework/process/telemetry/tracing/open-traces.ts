/**
 * Sends traces with the OpenTelemetry SDK to a receiver of OTLP over HTTP. This file and the SDK are loaded only if
 * an endpoint is set. `trace-settings.ts` reads all settings; the SDK reads no environment variable. Traces never
 * delay or fail a reconcile: spans that cannot be sent are dropped, and their number is logged.
 */
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { messageOf } from '../../../base/errors/errors.ts';
import type { Tracer } from '../../../base/telemetry/tracer.ts';
import { createTracer } from './create-tracer.ts';
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
