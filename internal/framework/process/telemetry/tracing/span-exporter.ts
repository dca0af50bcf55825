import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { CompressionAlgorithm, OTLPExporterError } from '@opentelemetry/otlp-exporter-base';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { messageOf } from '../../../base/errors/errors.ts';
import { proxyFromEnv } from '../../../http/transport/proxy-env.ts';
import type { TracesOptions } from './trace-settings.ts';

/** OpenTelemetry's exporter, which logs a failure once until spans are accepted again. */
export interface LoggingSpanExporter extends SpanExporter {
  /** Number of spans that the receiver accepted. */
  accepted(): number;
  /** Ends all connections. Exports in progress and later ones fail, so that the SDK does not repeat them. */
  destroy(): void;
}

export function createSpanExporter(options: Omit<TracesOptions, 'scope'>): LoggingSpanExporter {
  const { settings, log, env } = options;
  const { endpoint } = settings;
  const agent = agentFor(endpoint, env);
  const exporter = new OTLPTraceExporter({
    url: endpoint.href,
    headers: { ...settings.headers },
    timeoutMillis: settings.timeoutMs,
    compression: settings.gzip ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE,
    httpAgentOptions: () => agent,
  });
  let accepted = 0;
  let lost = 0;
  let failing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error === undefined) {
          accepted += spans.length;
          if (failing) log.info('traces are sent again', { lost });
          failing = false;
          lost = 0;
        } else {
          lost += spans.length;
          if (!failing) log.info('cannot send traces', { to: endpoint.host, error: causeOf(result.error) });
          failing = true;
        }
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
    accepted: () => accepted,
    destroy: () => closeForGood(agent),
  };
}

function causeOf(error: Error): string {
  const status = error instanceof OTLPExporterError ? error.code : undefined;
  return status === undefined ? messageOf(error) : `the receiver answered ${status}`;
}

function agentFor(endpoint: URL, env: TracesOptions['env']): HttpAgent | HttpsAgent {
  const proxy = proxyFromEnv(endpoint, env);
  const proxyEnv = proxy === undefined ? {} : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  const agentOptions = { keepAlive: true, proxyEnv };
  return endpoint.protocol === 'https:' ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
}

/**
 * The SDK repeats what fails with a code of the network, such as that of `agent.destroy`: it would connect again, and keep
 * the process running.
 */
function closeForGood(agent: HttpAgent | HttpsAgent): void {
  const closed = new Error('traces were closed');
  agent.createConnection = () => {
    throw closed;
  };
  for (const sockets of Object.values(agent.sockets)) {
    for (const socket of sockets ?? []) socket.destroy(closed);
  }
  agent.destroy();
}
