/**
 * The HTTPS server for webhooks, a runnable of every replica. The HTTP library is loaded at the start of the server, so
 * that a process without webhooks does not load it.
 */

import type { Deps } from '../../base/deps.ts';
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import type { Metrics } from '../../base/telemetry/telemetry.ts';
import { type Clock, withDeadline } from '../../base/time/clock.ts';
import { type HealthCheck, type Runnable, untilAborted } from '../../process/manager.ts';
import { filesIn } from '../../process/server/certificate-files.ts';
import { startHttpServer } from '../../process/server/http-server.ts';
import type { RequestListener } from '../../process/server/request-listener.ts';
import type { Webhook } from './webhook.ts';

export interface WebhookServerOptions extends Pick<Deps, 'clock' | 'log' | 'metrics'> {
  /** `:9443` or `host:port`; port 0 takes any free one. */
  readonly address: string;
  /** Folder with `tls.crt` and `tls.key`. */
  readonly certificateFolder: string;
  readonly webhooks: readonly Webhook[];
}

export interface WebhookServer extends Runnable {
  /** Passes while it listens. */
  readonly check: HealthCheck;
  /** `host:port` as bound; undefined while it does not listen. */
  address(): string | undefined;
}

/**
 * Limit of a review in bytes. API servers accept requests of 3 MiB; a review of an update has two objects, with a
 * larger encoding.
 */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** As values a review takes many times its bytes: two large ones at the same time, so that others of all sizes have their turns. */
const MAX_BODIES_BYTES = 16 * 1024 * 1024;
/** API servers time out after 10 s by default, 30 s at most. */
const TIMEOUT_MS = 10_000;

export function createWebhookServer(options: WebhookServerOptions): WebhookServer {
  const { log, address, certificateFolder } = options;
  let listening: string | undefined;
  return {
    name: 'webhook server',
    start: async (signal, abort) => {
      if (certificateFolder === '') {
        throw new ProviderError(
          'terminal',
          'no folder with a serving certificate is given (--webhook-tls-cert-dir)',
        );
      }
      const server = await startHttpServer({
        ...options,
        address,
        flag: '--webhook-port',
        certificate: filesIn(certificateFolder),
        listener: await listenerOf(options),
        maxBodyBytes: MAX_BODY_BYTES,
        maxBodiesBytes: MAX_BODIES_BYTES,
      });
      listening = server.address;
      const paths = options.webhooks.map(({ path }) => path);
      log.info('serving webhooks', { address: listening, paths });
      await untilAborted(signal);
      listening = undefined;
      await server.close(abort);
    },
    check: () => {
      if (listening === undefined) throw new ProviderError('transient', 'the webhook server does not listen');
    },
    address: () => listening,
  };
}

/** Serves POST requests to the paths of the webhooks, and 404 for other requests. */
async function listenerOf({ webhooks, clock, log, metrics }: WebhookServerOptions): Promise<RequestListener> {
  const [{ Hono }, { getRequestListener }] = await Promise.all([
    import('hono/tiny'),
    import('@hono/node-server'),
  ]);
  const app = new Hono();
  const measure = createWebhookMetrics(metrics, clock);
  for (const webhook of webhooks) {
    app.post(webhook.path, async ({ req, json }) => {
      const measured = measure(webhook.path);
      using deadline = withDeadline(clock, TIMEOUT_MS, `review at ${webhook.path}`);
      try {
        const review = await webhook.respond(await req.json(), deadline.signal);
        measured(200);
        return json(review);
      } catch (error) {
        // The client is no API server, or one of another version.
        log.info('a webhook request was refused', { path: webhook.path, error: messageOf(error) });
        measured(400);
        return json({ message: messageOf(error) }, 400);
      }
    });
  }
  const listener = getRequestListener(app.fetch);
  return async (request, response) => void (await listener(request, response));
}

/** The metrics of controller-runtime's webhook server. */
function createWebhookMetrics(metrics: Metrics, clock: Clock) {
  const requests = metrics.counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Requests to webhooks by HTTP status code.',
    labels: ['webhook', 'code'],
  });
  const latency = metrics.histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'Duration of requests to webhooks.',
    labels: ['webhook'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
  });
  return (webhook: string) => {
    const startedAt = clock.monotonic();
    return (code: number) => {
      requests.inc({ webhook, code: String(code) });
      latency.observe((clock.monotonic() - startedAt) / 1000, { webhook });
    };
  };
}
