/**
 * Sends a request to an API server. Within the deadline of the call it retries after a rotation of credentials, a stale
 * connection and throttling. All other errors are thrown.
 */

import type { Deps } from '../../base/deps.ts';
import { kindOf, ProviderError, wrap } from '../../base/errors/errors.ts';
import { parseBoundedJson } from '../../base/json/json-text.ts';
import { valueAt } from '../../base/json/json-value.ts';
import { jitter } from '../../base/random.ts';
import { statusLabel } from '../../base/telemetry/bounded-label.ts';
import type { Counter, Span } from '../../base/telemetry/telemetry.ts';
import { type Clock, withDeadline } from '../../base/time/clock.ts';
import { type RetryPolicy, retry } from '../../http/retry/retry.ts';
import { parseRetryAfter } from '../../http/retry/retry-after.ts';
import { collectBytes } from '../../http/transport/collected-bytes.ts';
import { describeNetworkFailure } from '../../http/transport/network-failure.ts';
import { USER_AGENT } from '../../http/transport/send-request.ts';
import type { ClusterConfig, Credentials } from '../config/cluster-config.ts';
import { credentialScrubber } from '../config/kubeconfig-document.ts';
import {
  type ApiStatus,
  type Attempt,
  KubeApiError,
  KubeTimeoutError,
  parseApiStatus,
  type Refusal,
  sentence,
  UnreachableError,
  UntrustedServerError,
} from '../errors/errors.ts';
import type { ResourceType } from '../object/resource-type.ts';
import type { OpenResponse, Transport, TransportRequest } from '../transport/transport.ts';

export interface ApiCall {
  /** For messages. */
  readonly verb: string;
  readonly object: string;
  readonly method: TransportRequest['method'];
  readonly path: string;
  /** The object that a 404 must be about to count. Absent for a new object and for collections. */
  readonly target?: RequestTarget | undefined;
  readonly accept: string;
  readonly contentType?: string;
  readonly body?: string;
  /** A larger response is an error; default and upper bound: `maxResponseBytes`. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** See TransportRequest. */
  readonly isUrgent?: boolean | undefined;
}

export interface RequestSender {
  /** The body of a successful response. */
  call(call: ApiCall): Promise<string>;
  /** A successful response whose body follows as a stream. The deadline covers the headers, `signal` also the body. */
  open(call: ApiCall & { readonly signal: AbortSignal }): Promise<OpenResponse>;
  attempt(call: Pick<ApiCall, 'verb' | 'object'>): Attempt;
  /** Masks the credentials of the cluster in texts of the server. */
  scrubber(): Promise<(text: string) => string>;
  readonly serverTime: Pick<ServerTime, 'now'>;
}

interface RequestSenderOptions extends Pick<Deps, 'clock' | 'random' | 'metrics' | 'tracer'> {
  readonly config: ClusterConfig;
  readonly transport: Transport;
  readonly clusterName: string;
  /** Labels of metrics. */
  readonly metricsLabels: { readonly cluster: string; readonly host: string };
  /** For one call with all retries, in ms. */
  readonly timeoutMs: number;
  /** A longer body is an error. */
  readonly maxResponseBytes: number;
  /** Name of the program; the API server records it as the manager of fields. Default: `provider-kyma`. */
  readonly userAgent?: string | undefined;
}

interface SendOptions extends RequestSenderOptions {
  readonly userAgent: string;
  readonly scrubber: RequestSender['scrubber'];
  readonly serverTime: ServerTime;
}

/** The body of an error response is read up to this. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** The deadline usually ends the call earlier. */
const MAX_RETRIES = 5;

export function createRequestSender(given: RequestSenderOptions): RequestSender {
  // A response that was received shows that there are credentials.
  const scrubber = async () => credentialScrubber(await given.config.credentials());
  const { clock, clusterName, tracer, userAgent = USER_AGENT } = given;
  const serverTime = createServerTime(clock);
  const options: SendOptions = { ...given, userAgent, scrubber, serverTime };
  const requests = options.metrics.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, host, and cluster.',
    labels: ['code', 'method', 'host', 'cluster'],
  });
  const attempt: RequestSender['attempt'] = ({ verb, object }) => ({ verb, object, clusterName });
  const doing = (call: ApiCall) => `${call.verb} ${call.object} on ${clusterName}`;
  return {
    attempt,
    scrubber,
    serverTime,
    call: async (call) => {
      using deadline = withDeadline(clock, options.timeoutMs, doing(call), call.signal);
      return await tracer.span(spanOf(call, options), (span) =>
        sendWithRetries(
          options,
          requests,
          { ...call, signal: deadline.signal },
          bufferedResponses(options),
          call.signal,
          span,
        ),
      );
    },
    open: async (call) => {
      const cut = new AbortController();
      // Never removed: the signal belongs to the watch and ends with it.
      call.signal.addEventListener('abort', () => cut.abort(call.signal.reason), { once: true });
      const cancel = clock.after(options.timeoutMs, () => cut.abort());
      try {
        return await sendWithRetries(
          options,
          requests,
          { ...call, signal: cut.signal },
          openResponses(options),
          call.signal,
        );
      } finally {
        cancel();
      }
    },
  };
}

/** Paths contain names of objects, so they are attributes and not part of the span's name. */
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

type Send<T> = (request: TransportRequest, maxBytes?: number) => Promise<SentResponse<T>>;

/** The response of `call` or `open`. */
interface SentResponse<T> {
  readonly status: number;
  header(name: string): string | undefined;
  /** If the status is a success. */
  readonly value: T;
  /** The body of an error response; empty if it is too long. */
  refusal(): Promise<string>;
}

const bufferedResponses =
  ({ transport, maxResponseBytes }: RequestSenderOptions): Send<string> =>
  async (request, maxBytes = maxResponseBytes) => {
    const response = await transport.call(request, Math.min(maxBytes, maxResponseBytes));
    const { body } = response;
    return { ...response, value: body, refusal: async () => (body.length > MAX_REFUSAL_BYTES ? '' : body) };
  };

const openResponses =
  ({ transport }: RequestSenderOptions): Send<OpenResponse> =>
  async (request) => {
    const response = await transport.open(request);
    return { ...response, value: response, refusal: () => readRefusal(response) };
  };

/** @param signal of the caller; its abort is not a failure of the cluster */
async function sendWithRetries<T>(
  options: SendOptions,
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
      case 'succeeded':
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

/** The delay before a retry, in ms; undefined: no retry. */
function retryDelays({ config, random }: RequestSenderOptions, method: ApiCall['method']) {
  let credentialsRefused = false;
  return async (outcome: Outcome<unknown>, retries: number): Promise<number | undefined> => {
    if (outcome.state === 'succeeded') return undefined;
    const { sentWith } = outcome;
    if (isRefusal(outcome) && !credentialsRefused && (await credentialsRotated(config, sentWith))) {
      credentialsRefused = true;
      return 0;
    }
    if (outcome.state === 'failed') {
      return method === 'GET' && retries === 0 && isStale(outcome) ? 0 : undefined;
    }
    const { refusal } = outcome;
    const asked = retries < MAX_RETRIES ? retryAfterOf(method, refusal) : undefined;
    // Never earlier than the server asks for.
    return asked === undefined ? undefined : asked + jitter(100, 1, random);
  };
}

type Outcome<T> =
  | { readonly state: 'succeeded'; readonly value: T }
  | ({ readonly state: 'refused'; readonly refusal: Refusal } & Sent)
  | ({ readonly state: 'failed'; readonly error: unknown } & Sent);

/** The credentials of the request, or those just before; undefined: there are none. */
interface Sent {
  readonly sentWith: Credentials | undefined;
}

async function sendOnce<T>(
  options: SendOptions,
  requests: Counter,
  call: ApiCall & { readonly signal: AbortSignal },
  send: Send<T>,
): Promise<Outcome<T>> {
  const { clock } = options;
  const count = (code: string) => requests.inc({ code, method: call.method, ...options.metricsLabels });
  let counted = false;
  let sentWith: Credentials | undefined;
  try {
    sentWith = await options.config.credentials();
    const response = await send(
      {
        method: call.method,
        path: call.path,
        headers: {
          accept: call.accept,
          'user-agent': options.userAgent,
          ...(call.contentType === undefined ? {} : { 'content-type': call.contentType }),
        },
        ...(call.body === undefined ? {} : { body: call.body }),
        signal: call.signal,
        isUrgent: call.isUrgent,
      },
      call.maxBytes,
    );
    count(statusLabel(response.status));
    counted = true;
    options.serverTime.observe(response.header('date'));
    if (response.status >= 200 && response.status < 300) return { state: 'succeeded', value: response.value };
    const body = await response.refusal();
    const status = parseApiStatus(body, await options.scrubber());
    const { path, target } = call;
    const isForeign =
      response.status === 404 &&
      (await isForeignNotFound({ path, target, status, body, read: readerOf(options, call, count) }));
    const refusal = {
      httpStatus: response.status,
      status,
      isForeign,
      retryAfterMs: parseRetryAfter(
        { retryAfter: response.header('retry-after'), date: response.header('date') },
        clock.now(),
      ),
    };
    return { state: 'refused', refusal, sentWith };
  } catch (error) {
    if (!counted) count('<error>');
    return { state: 'failed', error, sentWith };
  }
}

/** A GET as part of a call, within its deadline and without retries. */
const readerOf =
  (
    { transport, maxResponseBytes, userAgent }: SendOptions,
    { signal }: { readonly signal: AbortSignal },
    count: (code: string) => void,
  ) =>
  async (path: string) => {
    const headers = { accept: 'application/json', 'user-agent': userAgent };
    const response = await transport.call({ method: 'GET', path, headers, signal }, maxResponseBytes);
    count(statusLabel(response.status));
    return response;
  };

/** The error of a keep-alive connection that the server has just closed; a new connection may succeed at once. */
const isStale = ({ error }: { readonly error: unknown }) =>
  describeNetworkFailure(error).code === 'connection_reset';

/** Whether the server refuses the credentials, or its certificate is not of their authority. The request had no effect. */
const isRefusal = (outcome: Exclude<Outcome<unknown>, { state: 'succeeded' }>) =>
  outcome.state === 'refused'
    ? outcome.refusal.httpStatus === 401
    : describeNetworkFailure(outcome.error).code === 'tls';

/** Retried are requests that the server has not started (429), and reads. Undefined: no retry. */
function retryAfterOf(method: string, { httpStatus, retryAfterMs }: Refusal): number | undefined {
  if (httpStatus === 429) return retryAfterMs;
  return method === 'GET' && [500, 503, 504].includes(httpStatus) ? retryAfterMs : undefined;
}

/** Whether the credentials, or the authority of the server, were rotated since the request. */
async function credentialsRotated(
  config: ClusterConfig,
  sentWith: Credentials | undefined,
): Promise<boolean> {
  // Another call, with the same credentials, may have had them read again.
  if ((await config.credentials()) !== sentWith) return true;
  config.refused?.();
  return (await config.credentials()) !== sentWith;
}

/** A ProviderError (no credentials, a body too long) keeps its kind. */
function failure(attempt: Attempt, error: unknown): ProviderError {
  if (error instanceof ProviderError) return wrap(error, sentence(attempt));
  const { text, code, missingHost } = describeNetworkFailure(error);
  if (kindOf(error) === 'bug')
    return new ProviderError('bug', `${sentence(attempt)}: ${text}`, { cause: error });
  if (code === 'connect_timeout') return new KubeTimeoutError(attempt, text);
  // Without the cause: TLS errors carry whole certificates, which would be logged.
  if (code !== 'tls') return new UnreachableError(attempt, text, { missingHost });
  return new UntrustedServerError(attempt, text);
}

async function readRefusal({ body }: OpenResponse): Promise<string> {
  const collected = collectBytes();
  try {
    for await (const chunk of body) {
      collected.add(chunk);
      if (collected.size > MAX_REFUSAL_BYTES) return '';
    }
  } catch {
    return '';
  }
  return collected.takeText();
}

/** The wall clock of an API server, which sets `creationTimestamp`. The own wall clock may be wrong, or jump. */
interface ServerTime {
  /** In ms since the epoch, up to a second behind. Before the first response: the own time. */
  now(): number;
  /** @param date the header `Date` of a response that has just arrived. A text that is no date changes nothing. */
  observe(date: string | undefined): void;
}

function createServerTime(clock: Pick<Clock, 'now' | 'monotonic'>): ServerTime {
  /** The time of the server when the monotonic clock was zero. */
  let zero: number | undefined;
  return {
    now: () => (zero === undefined ? clock.now() : zero + clock.monotonic()),
    observe: (date = '') => {
      const at = Date.parse(date);
      if (!Number.isNaN(at)) zero = at - clock.monotonic();
    },
  };
}

/** The object of a request that does not create it. */
export interface RequestTarget extends Pick<ResourceType, 'plural' | 'kind'> {
  readonly name: string;
}

interface NotFoundResponse {
  /** Path of the request. */
  readonly path: string;
  readonly target: RequestTarget | undefined;
  readonly status: ApiStatus | undefined;
  readonly body: string;
  readonly read: (path: string) => Promise<{ readonly status: number; readonly body: string }>;
}

/** Of a document of discovery, which the server of a tenant may send as well. Those of groups with hundreds of kinds have fewer values. */
const DISCOVERY_LIMITS = { maxLength: Number.POSITIVE_INFINITY, maxDepth: 16, maxValues: 100_000 };

/** What an API server responds for a kind, a group or a version that it does not serve; so does any server written in Go. */
const PAGE_NOT_FOUND = '404 page not found';

/**
 * Whether a 404 proves nothing about the object or kind of the request: it has no Status, as those of proxies and load
 * balancers, or is about another object. An API server responds without a Status only for what it does not serve; then its discovery
 * must agree.
 */
async function isForeignNotFound(response: NotFoundResponse): Promise<boolean> {
  const { path, target, status, body, read } = response;
  if (status !== undefined) return status.reason !== 'NotFound' || isAboutAnother(status, target);
  const [, groupVersion, plural] =
    /^\/apis\/([^/?]+\/[^/?]+)(?:\/(?:namespaces\/[^/?]+\/)?([^/?]+))?/.exec(path) ?? [];
  if (groupVersion === undefined || body.trim() !== PAGE_NOT_FOUND) return true;
  const discover = async (path: string, namesIn: (list: unknown) => readonly unknown[] | undefined) => {
    const { status, body } = await read(path);
    // An API server responds, with which this user may not discover anything.
    if (status === 403 && parseApiStatus(body)?.reason === 'Forbidden') return [];
    return status === 200 ? namesIn(parseBoundedJson(body, DISCOVERY_LIMITS)) : undefined;
  };
  try {
    const resources = plural && (await discover(`/apis/${groupVersion}`, servedResources));
    if (resources) return resources.includes(plural);
    return (await discover('/apis', servedGroupVersions))?.includes(groupVersion) ?? true;
  } catch {
    return true;
  }
}

/** Of an APIResourceList; undefined if it is none. */
function servedResources(list: unknown): readonly unknown[] | undefined {
  const resources = valueAt(list, ['resources']);
  if (valueAt(list, ['kind']) !== 'APIResourceList' || !Array.isArray(resources)) return undefined;
  return resources.map((resource) => valueAt(resource, ['name']));
}

/** Admission may respond with a 404 for an object that the object of the request names. */
function isAboutAnother({ details }: ApiStatus, target: RequestTarget | undefined): boolean {
  if (target === undefined || details?.name === undefined) return false;
  if (details.name !== target.name) return true;
  const kind = details.kind?.toLowerCase().split('/')[0];
  return kind !== undefined && kind !== target.plural && kind !== target.kind.toLowerCase();
}

/** Of an APIGroupList; undefined if it is none. */
function servedGroupVersions(list: unknown): readonly unknown[] | undefined {
  const groups = valueAt(list, ['groups']);
  if (valueAt(list, ['kind']) !== 'APIGroupList' || !Array.isArray(groups)) return undefined;
  return groups.flatMap((group) => {
    const versions = valueAt(group, ['versions']);
    return Array.isArray(versions) ? versions.map((version) => valueAt(version, ['groupVersion'])) : [];
  });
}
