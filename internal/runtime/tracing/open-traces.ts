/**
 * Traces by OpenTelemetry, to any receiver of OTLP over HTTP. This is all that is loaded where an endpoint is set, and
 * nothing of it where none is. OpenTelemetry's own SDK with its exporter would add 0.7 MB to a program of 4, for names of
 * things that we do not have and for metrics that Prometheus asks for: a span is an object with nine fields, OTLP's JSON
 * form writes them down, and the endpoint of every collector takes it.
 */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Random } from '../../base/random.ts';
import type { Tracer } from '../../base/tracer.ts';
import { createTracer } from './create-tracer.ts';
import { createSpanExporter } from './span-exporter.ts';
import type { TraceSettings } from './trace-settings.ts';

export interface Traces {
  readonly tracer: Tracer;
  /** Sends what waits, for 5 s at most, and ends. */
  close(): Promise<void>;
}

export interface TracesOptions {
  readonly settings: TraceSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly scope: { readonly name: string; readonly version: string };
  /** For its proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function openTraces(options: TracesOptions): Traces {
  const { settings, clock, random } = options;
  const exporter = createSpanExporter(options);
  const tracer = createTracer({ clock, random, ratio: settings.ratio, onEnd: exporter.add });
  return { tracer, close: exporter.close };
}
