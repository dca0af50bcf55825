/**
 * Traces by OpenTelemetry, to any receiver of OTLP over HTTP. This is all that is loaded where an endpoint is set, and
 * nothing of it where none is. OpenTelemetry's own SDK with its exporter would add 0.7 MB to a program of 4, for names of
 * things that we do not have and for metrics that Prometheus asks for: a span is an object with nine fields, OTLP's JSON
 * form writes them down, and the endpoint of every collector takes it.
 */
import type { Tracer } from '../../base/tracer.ts';
import { createTracer } from './create-tracer.ts';
import { createSpanExporter } from './span-exporter.ts';
import type { TracesOptions } from './trace-settings.ts';

export interface Traces {
  readonly tracer: Tracer;
  /** Sends what waits, for 5 s at most, and ends. */
  close(): Promise<void>;
}

export function openTraces(options: TracesOptions): Traces {
  const { settings, clock, random } = options;
  const exporter = createSpanExporter(options);
  const tracer = createTracer({ clock, random, ratio: settings.ratio, onEnd: exporter.add });
  return { tracer, close: exporter.close };
}
