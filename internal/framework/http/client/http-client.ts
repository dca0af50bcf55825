import type { Dispatcher } from 'undici';
import type { Shares } from '../../base/collections/byte-budget.ts';
import { createLruCache } from '../../base/collections/lru-cache.ts';
import { FencedError } from '../../base/concurrency/fence.ts';
import type { Deps } from '../../base/deps.ts';
import { statusLabel } from '../../base/telemetry/bounded-label.ts';
import { redact } from '../../base/text/redact.ts';
import { withDeadline } from '../../base/time/clock.ts';
import { NoResponseError } from '../errors/errors.ts';
import type { CallSlots } from '../limits/call-slots.ts';
import {
  type Attempt,
  type CircuitBreaker,
  createCircuitBreaker,
  SLOW_SHARE,
} from '../limits/circuit-breaker.ts';
import type { HostSlots } from '../limits/host-slots.ts';
import { EndpointRefusedError } from '../transport/endpoint-guard.ts';
import { describeNetworkFailure } from '../transport/network-failure.ts';
import {
  type HttpRequest,
  type HttpResponse,
  NoMemoryError,
  type NoResponse,
  OversizedResponseError,
  sendRequest,
} from '../transport/send-request.ts';

export interface HttpClientOptions extends Pick<Deps, 'clock' | 'random' | 'metrics' | 'tracer'> {
  /** The external API in metrics and spans, e.g. `hana-cloud`. */
  readonly system: string;
  /** Each request in flight takes one. */
  readonly slots: CallSlots;
  /** Told the outcome of each call. */
  readonly hostSlots?: Pick<HostSlots, 'succeeded' | 'failedSlowly'>;
  /** Limit for connecting, request and response, without the wait for a slot. */
  readonly callTimeoutMs: number;
  /** A longer body is not read further. */
  readonly maxResponseBytes: number;
  /** For bodies that are being received, by tenant; default: no limit but their own. */
  readonly memory?: Shares;
}

export interface HttpCall {
  /** Method and path template, for metrics and messages, without IDs. */
  readonly route: string;
  readonly request: HttpRequest;
  readonly dispatcher: () => Dispatcher;
  /** Default: the client's. */
  readonly maxResponseBytes?: number;
  /** Whose memory the body takes until it is complete; default: that of all calls without one. */
  readonly tenant?: string;
}

/** Sends the requests to one external API within shared limits. One per process and API. */
export interface HttpClient {
  /**
   * Sends one request. A response with any status is returned.
   *
   * @throws NoResponseError
   * @throws ThrottledError while the host's circuit is open
   * @throws FencedError from the fence of the request
   * @throws EndpointRefusedError if the host's name resolves to a refused address
   * @throws the signal's reason, if it is aborted during the wait for a slot
   */
  send(call: HttpCall, signal: AbortSignal): Promise<HttpResponse>;
}

/** Memory for the circuit breakers of about 1000 hosts. An evicted one starts closed again. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Memory of one circuit breaker. */
const HOST_BYTES = 1500;

const durationBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { clock, random, metrics, tracer, slots, hostSlots, callTimeoutMs, maxResponseBytes } = options;
  const system = { system: options.system };
  const total = metrics.counter({
    name: 'provider_kyma_external_calls_total',
    help: 'Calls to external APIs, by route and HTTP status or kind of failure.',
    labels: ['system', 'route', 'code'],
  });
  const duration = metrics.histogram({
    name: 'provider_kyma_external_call_duration_seconds',
    help: 'Duration of calls to external APIs, without the wait for a slot.',
    labels: ['system', 'route', 'code'],
    buckets: durationBuckets,
  });
  const inFlight = metrics.gauge({
    name: 'provider_kyma_external_calls_in_flight',
    help: 'Calls to external APIs that are in flight.',
    labels: ['system'],
  });
  const breakers = createLruCache<string, CircuitBreaker>({
    maxBytes: MAX_BYTES,
    bytesOf: () => HOST_BYTES,
  });
  const breakerOf = ({ origin, host }: URL): CircuitBreaker => {
    const known = breakers.get(origin);
    if (known) return known;
    const created = createCircuitBreaker({ clock, random, name: `host ${host}` });
    breakers.set(origin, created);
    return created;
  };

  const perform = async (
    call: HttpCall,
    dispatcher: Dispatcher,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<HttpResponse> => {
    const began = clock.monotonic();
    const report = (code: string) => {
      const labels = { ...system, route: call.route, code };
      total.inc(labels);
      duration.observe((clock.monotonic() - began) / 1000, labels);
    };
    using deadline = withDeadline(clock, callTimeoutMs, call.route, signal);
    inFlight.inc(system);
    try {
      const maxBytes = call.maxResponseBytes ?? maxResponseBytes;
      const { host } = call.request.url;
      const memory = options.memory?.of(call.tenant ?? '');
      const result = await sendRequest(dispatcher, call.request, maxBytes, deadline.signal, memory);
      if ('response' in result) {
        const { status } = result.response;
        const slow = clock.monotonic() - began >= callTimeoutMs * SLOW_SHARE;
        recordOutcome(attempt, status, slow);
        if (status < 500) hostSlots?.succeeded(host);
        else if (slow) hostSlots?.failedSlowly(host);
        report(statusLabel(status));
        return result.response;
      }
      const { noResponse } = result;
      const code = signal.aborted
        ? 'aborted'
        : deadline.signal.aborted
          ? 'timeout'
          : codeOf(noResponse.error);
      if (code === 'timeout' || code === 'connect_timeout') {
        attempt.failedSlowly();
        hostSlots?.failedSlowly(host);
      } else attempt.inconclusive();
      report(code);
      throw errorOf(call, noResponse, code, signal, callTimeoutMs);
    } finally {
      inFlight.inc(system, -1);
    }
  };

  /** The route, since the path contains IDs. */
  const spanOf = ({ route, request }: HttpCall) =>
    ({
      name: `${options.system} ${route}`,
      kind: 'client',
      attributes: { 'http.request.method': request.method, 'server.address': request.url.host },
    }) as const;

  return {
    send: async (call, signal) => {
      const { url } = call.request;
      const release = await slots.acquire(url.origin, signal);
      try {
        const dispatcher = call.dispatcher();
        return await tracer.span(spanOf(call), async (span) => {
          const response = await perform(call, dispatcher, breakerOf(url).enter(), signal);
          span.set({ 'http.response.status_code': response.status });
          return response;
        });
      } finally {
        release();
      }
    },
  };
}

/** A late error counts like no response; a quick error does not count. */
function recordOutcome(attempt: Attempt, status: number, slow: boolean): void {
  if (slow && status >= 400) attempt.failedSlowly();
  else if (slow || status >= 500) attempt.inconclusive();
  else attempt.succeeded();
}

/** Why there is no response, as a label of metrics. */
function codeOf(error: unknown): string {
  if (error instanceof EndpointRefusedError) return 'endpoint_refused';
  if (error instanceof FencedError) return 'fenced';
  if (error instanceof OversizedResponseError) return 'oversized';
  if (error instanceof NoMemoryError) return 'no_memory';
  return describeNetworkFailure(error).code;
}

function errorOf(
  { route, request }: HttpCall,
  { sent, status, error }: NoResponse,
  code: string,
  signal: AbortSignal,
  callTimeoutMs: number,
): Error {
  if (error instanceof EndpointRefusedError || error instanceof FencedError) return error;
  const where = `${route} on ${request.url.host}`;
  const text =
    code === 'timeout'
      ? `no answer within ${callTimeoutMs / 1000} s`
      : redact(describeNetworkFailure(error).text);
  const broken = status === undefined ? '' : `answered ${status}, then broke off: `;
  const aborted = signal.aborted;
  return new NoResponseError(`${where} failed: ${broken}${text}`, {
    code,
    sent,
    aborted,
    cause: signal.reason,
  });
}
