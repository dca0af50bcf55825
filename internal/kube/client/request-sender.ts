/**
 * One request to an API server, until it is answered or given up: credentials that were rotated, connections that
 * had gone stale and throttling are dealt with inside, within the call's deadline. Everything else is for the caller.
 */

import type { Deps } from '../../base/deps.ts';
import { kindOf, ProviderError, wrap } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import type { Counter } from '../../base/telemetry/metrics.ts';
import type { Span } from '../../base/telemetry/tracer.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import { type RetryPolicy, retry } from '../../http/retry/retry.ts';
import { parseRetryAfter } from '../../http/retry/retry-after.ts';
import { describeNetworkFailure } from '../../http/transport/network-failure.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { parseApiStatus } from '../errors/api-status.ts';
import {
  type Attempt,
  KubeApiError,
  KubeTimeoutError,
  type Refusal,
  sentence,
  UnreachableError,
} from '../errors/errors.ts';
import type { OpenResponse, Transport, TransportRequest } from '../transport/transport.ts';

export interface ApiCall {
  /** For messages. */
  readonly verb: string;
  readonly object: string;
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly accept: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface RequestSender {
  /** The body of a successful answer. */
  call(call: ApiCall): Promise<string>;
  /** A successful answer whose body is still to come. The deadline ends with the headers, `signal` does not. */
  open(call: ApiCall & { readonly signal: AbortSignal }): Promise<OpenResponse>;
  attempt(call: Pick<ApiCall, 'verb' | 'object'>): Attempt;
}

export interface RequestSenderOptions extends Pick<Deps, 'clock' | 'random' | 'metrics' | 'tracer'> {
  readonly config: ClusterConfig;
  readonly transport: Transport;
  readonly clusterName: string;
  /** Label `host` of metrics. */
  readonly metricsHost: string;
  /** For one call with all its repetitions, in ms. */
  readonly timeoutMs: number;
  /** A longer body is an error. */
  readonly maxResponseBytes: number;
}

/** A refusal's body is not read further than this. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Repetitions of one call; the deadline usually comes first. */
const MAX_RETRIES = 5;

export function createRequestSender(options: RequestSenderOptions): RequestSender {
  const { clock, clusterName, tracer } = options;
  const requests = options.metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labels: ['code', 'method', 'host'],
  });
  const attempt: RequestSender['attempt'] = ({ verb, object }) => ({ verb, object, clusterName });
  const doing = (call: ApiCall) => `${call.verb} ${call.object} on ${clusterName}`;
  return {
    attempt,
    call: async (call) => {
      using deadline = withDeadline(clock, options.timeoutMs, doing(call), call.signal);
      return await tracer.span(spanOf(call, options), (span) =>
        repeat(
          options,
          requests,
          { ...call, signal: deadline.signal },
          wholeAnswers(options),
          call.signal,
          span,
        ),
      );
    },
    open: async (call) => {
      const cut = new AbortController();
      // Never removed: the signal is the watch's own and goes with it.
      call.signal.addEventListener('abort', () => cut.abort(call.signal.reason), { once: true });
      const cancel = clock.after(options.timeoutMs, () => cut.abort());
      try {
        return await repeat(
          options,
          requests,
          { ...call, signal: cut.signal },
          openAnswers(options),
          call.signal,
        );
      } finally {
        cancel();
      }
    },
  };
}

/** Paths name objects, so they are attributes, not names. */
const spanOf = (
  { verb, object, method }: ApiCall,
  { clusterName, transport }: Pick<RequestSenderOptions, 'clusterName' | 'transport'>,
) =>
  ({
    name: `kubernetes ${verb}`,
    kind: 'client',
    attributes: {
      'http.request.method': method,
      'server.address': transport.host,
      'k8s.object': object,
      'k8s.cluster': clusterName,
    },
  }) as const;

/** One of the ways in which a transport answers. */
type Send<T> = (request: TransportRequest) => Promise<Answer<T>>;

interface Answer<T> {
  readonly status: number;
  header(name: string): string | undefined;
  /** Of a success. */
  readonly value: T;
  /** The body of a refusal, as far as it is worth reading. */
  refusal(): Promise<string>;
}

const wholeAnswers =
  ({ transport, maxResponseBytes }: RequestSenderOptions): Send<string> =>
  async (request) => {
    const answer = await transport.call(request, maxResponseBytes);
    const { body } = answer;
    return { ...answer, value: body, refusal: async () => (body.length > MAX_REFUSAL_BYTES ? '' : body) };
  };

const openAnswers =
  ({ transport }: RequestSenderOptions): Send<OpenResponse> =>
  async (request) => {
    const answer = await transport.open(request);
    return { ...answer, value: answer, refusal: () => readRefusal(answer) };
  };

/** @param signal the caller's, whose end is no failure of the cluster */
async function repeat<T>(
  options: RequestSenderOptions,
  requests: Counter,
  call: ApiCall & { readonly signal: AbortSignal },
  send: Send<T>,
  signal: AbortSignal | undefined,
  span?: Span,
): Promise<T> {
  const { clock } = options;
  signal?.throwIfAborted();
  const startedAt = clock.monotonic();
  const attempt = { verb: call.verb, object: call.object, clusterName: options.clusterName };
  let last: Outcome<T> | undefined;
  const delayAfter = retryDelays(options, call.method);
  const policy: RetryPolicy = async (_error, retries) => {
    const leftMs = options.timeoutMs - (clock.monotonic() - startedAt);
    const delayMs = last && (await delayAfter(last, retries));
    return delayMs !== undefined && delayMs < leftMs ? delayMs : undefined;
  };
  const once = async (retries: number): Promise<T> => {
    last = await sendOnce(options, requests, call, send);
    if (retries > 0) span?.set({ 'http.request.resend_count': retries });
    switch (last.state) {
      case 'answered':
        return last.value;
      case 'refused':
        span?.set({ 'http.response.status_code': last.refusal.httpStatus });
        throw new KubeApiError(attempt, last.refusal);
      case 'failed':
        signal?.throwIfAborted();
        if (call.signal.aborted) {
          throw new KubeTimeoutError(attempt, `no answer within ${options.timeoutMs / 1000} s`);
        }
        throw failure(attempt, last.error);
    }
  };
  return retry(once, { clock, signal, policy });
}

/** The delay after an outcome, in ms; undefined: it is final. */
function retryDelays({ config, random }: RequestSenderOptions, method: ApiCall['method']) {
  let credentialsRefused = false;
  return async (outcome: Outcome<unknown>, retries: number): Promise<number | undefined> => {
    if (outcome.state === 'answered') return undefined;
    if (outcome.state === 'failed') {
      return method === 'GET' && retries === 0 && outcome.staleConnection ? 0 : undefined;
    }
    const { refusal } = outcome;
    if (refusal.httpStatus === 401 && !credentialsRefused && (await credentialsMoved(config))) {
      credentialsRefused = true;
      return 0;
    }
    const asked = retries < MAX_RETRIES ? patience(method, refusal) : undefined;
    // Later, never earlier, than asked for.
    return asked === undefined ? undefined : asked + jitter(100, 1, random);
  };
}

type Outcome<T> =
  | { readonly state: 'answered'; readonly value: T }
  | { readonly state: 'refused'; readonly refusal: Refusal }
  | { readonly state: 'failed'; readonly error: unknown; readonly staleConnection: boolean };

async function sendOnce<T>(
  options: RequestSenderOptions,
  requests: Counter,
  call: ApiCall & { readonly signal: AbortSignal },
  send: Send<T>,
): Promise<Outcome<T>> {
  const { clock } = options;
  const count = (code: string) => requests.inc({ code, method: call.method, host: options.metricsHost });
  let counted = false;
  try {
    const answer = await send({
      method: call.method,
      path: call.path,
      headers: {
        accept: call.accept,
        'user-agent': 'provider-kyma',
        ...(call.contentType === undefined ? {} : { 'content-type': call.contentType }),
      },
      ...(call.body === undefined ? {} : { body: call.body }),
      signal: call.signal,
    });
    count(String(answer.status));
    counted = true;
    if (answer.status >= 200 && answer.status < 300) return { state: 'answered', value: answer.value };
    const refusal = {
      httpStatus: answer.status,
      status: parseApiStatus(await answer.refusal()),
      retryAfterMs: parseRetryAfter(
        { retryAfter: answer.header('retry-after'), date: answer.header('date') },
        clock.now(),
      ),
    };
    return { state: 'refused', refusal };
  } catch (error) {
    if (!counted) count('<error>');
    return { state: 'failed', error, staleConnection: isStale(error) };
  }
}

/** A kept-alive connection that the server had just closed fails like this; another one may do at once. */
const isStale = (error: unknown) => describeNetworkFailure(error).code === 'connection_reset';

/** Repeated are requests that the server says it has not begun (429) and reads. Undefined: do not. */
function patience(method: string, { httpStatus, retryAfterMs }: Refusal): number | undefined {
  if (httpStatus === 429) return retryAfterMs;
  return method === 'GET' && [500, 503, 504].includes(httpStatus) ? retryAfterMs : undefined;
}

/** A token that was rotated while we held the old one; a 401 says that nothing was done. */
async function credentialsMoved(config: ClusterConfig): Promise<boolean> {
  const before = await config.credentials();
  config.refused?.();
  return (await config.credentials()) !== before;
}

/** An error of ours (credentials that cannot be had, a body too long) keeps its kind. */
function failure(attempt: Attempt, error: unknown): ProviderError {
  if (error instanceof ProviderError) return wrap(error, sentence(attempt));
  const { text, code } = describeNetworkFailure(error);
  if (kindOf(error) === 'bug')
    return new ProviderError('bug', `${sentence(attempt)}: ${text}`, { cause: error });
  if (code === 'connect_timeout') return new KubeTimeoutError(attempt, text);
  // The cause is left out: errors of the TLS layer carry whole certificates, which loggers would print.
  if (code !== 'tls') return new UnreachableError(attempt, text);
  const why = `the server's TLS certificate or handshake is refused: ${text}`;
  return new ProviderError('transient', `${sentence(attempt)}: ${why}`);
}

async function readRefusal({ body }: OpenResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > MAX_REFUSAL_BYTES) return '';
      chunks.push(chunk);
    }
  } catch {
    return '';
  }
  return Buffer.concat(chunks).toString('utf8');
}
