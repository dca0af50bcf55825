import type { Dispatcher } from 'undici';
import type { Clock } from '../../base/clock.ts';
import { withDeadline } from '../../base/deadline.ts';
import { FencedError } from '../../base/fence.ts';
import { createLruCache } from '../../base/lru-cache.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Random } from '../../base/random.ts';
import { redact } from '../../base/redact.ts';
import { nopTracer, type Tracer } from '../../base/tracer.ts';
import {
  type Attempt,
  type CircuitBreaker,
  createCircuitBreaker,
} from '../../http/limits/circuit-breaker.ts';
import {
  type HttpRequest,
  type HttpResponse,
  type NoResponse,
  sendRequest,
} from '../../http/transport/send-request.ts';
import type { CallSlots } from './call-slots.ts';
import { EndpointRefusedError } from './errors.ts';
import { failureCode, failureText } from './exchange-failure.ts';
import { NoAnswerError } from './no-answer-error.ts';

export interface CallerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** Default: none. */
  readonly tracer?: Tracer;
  /** Each call in flight has one. */
  readonly slots: CallSlots;
  /** From the first byte to the last, connecting included, waiting for a slot excluded. */
  readonly callTimeoutMs: number;
  readonly maxAnswerBytes: number;
}

export interface Call {
  /** Method and path template: what metrics and messages say instead of a URL with IDs in it. */
  readonly route: string;
  readonly request: HttpRequest;
  readonly dispatcher: () => Dispatcher;
  /** Default: the caller's. */
  readonly maxAnswerBytes?: number;
}

/**
 * One call within all limits. Any status is an answer.
 *
 * @throws NoAnswerError
 * @throws ThrottledError while the host's circuit is open
 * @throws FencedError where the request's fence kept it back
 * @throws EndpointRefusedError where the host's name resolves to a refused address
 * @throws the signal's reason, if it ended the wait for a slot
 */
export type Caller = (call: Call, signal: AbortSignal) => Promise<HttpResponse>;

/** Of what is remembered, about 1000 hosts. Forgetting one costs a few calls into the dark, nothing else. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Of one host's semaphore and circuit breaker. */
const HOST_BYTES = 1500;

const durationBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createCaller(options: CallerOptions): Caller {
  const { clock, random, metrics, slots, callTimeoutMs, maxAnswerBytes } = options;
  const { tracer = nopTracer } = options;
  const total = metrics.counter({
    name: 'provider_kyma_external_calls_total',
    help: 'Calls to systems outside of Kubernetes, by route and HTTP status or kind of failure.',
    labels: ['system', 'route', 'code'],
  });
  const duration = metrics.histogram({
    name: 'provider_kyma_external_call_duration_seconds',
    help: 'Time of calls to systems outside of Kubernetes, without the wait for a slot.',
    labels: ['system', 'route', 'code'],
    buckets: durationBuckets,
  });
  const inFlight = metrics.gauge({
    name: 'provider_kyma_external_calls_in_flight',
    help: 'Calls to systems outside of Kubernetes that are under way.',
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
    call: Call,
    dispatcher: Dispatcher,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<HttpResponse> => {
    const system = { system: 'hana-cloud' };
    const began = clock.monotonic();
    const report = (code: string) => {
      const labels = { ...system, route: call.route, code };
      total.inc(labels);
      duration.observe((clock.monotonic() - began) / 1000, labels);
    };
    using deadline = withDeadline(clock, callTimeoutMs, call.route, signal);
    inFlight.inc(system);
    try {
      const result = await sendRequest(
        dispatcher,
        call.request,
        call.maxAnswerBytes ?? maxAnswerBytes,
        deadline.signal,
      );
      if ('response' in result) {
        judge(attempt, result.response.status, clock.monotonic() - began >= callTimeoutMs * SLOW_SHARE);
        report(String(result.response.status));
        return result.response;
      }
      const { noResponse } = result;
      const code = signal.aborted
        ? 'aborted'
        : deadline.signal.aborted
          ? 'timeout'
          : failureCode(noResponse.error);
      if (code === 'timeout' || code === 'connect_timeout') attempt.failedSlowly();
      else attempt.inconclusive();
      report(code);
      throw errorOf(call, noResponse, code, signal, callTimeoutMs);
    } finally {
      inFlight.inc(system, -1);
    }
  };

  return async (call, signal) => {
    const { url } = call.request;
    const release = await slots.acquire(url.origin, signal);
    try {
      const dispatcher = call.dispatcher();
      return await tracer.span(spanOf(call), async (span) => {
        const answer = await perform(call, dispatcher, breakerOf(url).enter(), signal);
        span.set({ 'http.response.status_code': answer.status });
        return answer;
      });
    } finally {
      release();
    }
  };
}

/** A response that takes this share of the time for a call is slow. */
const SLOW_SHARE = 0.25;

/** An error that comes late holds slots like no response at all; one that comes at once holds nothing and proves nothing. */
function judge(attempt: Attempt, status: number, slow: boolean): void {
  if (slow && status >= 400) attempt.failedSlowly();
  else if (slow || status >= 500) attempt.inconclusive();
  else attempt.succeeded();
}

/** The path itself holds IDs; the route says enough. */
const spanOf = ({ route, request }: Call) =>
  ({
    name: `hana-cloud ${route}`,
    kind: 'client',
    attributes: { 'http.request.method': request.method, 'server.address': request.url.host },
  }) as const;

function errorOf(
  { route, request }: Call,
  { sent, status, error }: NoResponse,
  code: string,
  signal: AbortSignal,
  callTimeoutMs: number,
): Error {
  if (error instanceof EndpointRefusedError || error instanceof FencedError) return error;
  const where = `${route} on ${request.url.host}`;
  const text = code === 'timeout' ? `no answer within ${callTimeoutMs / 1000} s` : redact(failureText(error));
  const broken = status === undefined ? '' : `answered ${status}, then broke off: `;
  const aborted = signal.aborted;
  return new NoAnswerError(`${where} failed: ${broken}${text}`, {
    code,
    sent,
    aborted,
    cause: signal.reason,
  });
}
