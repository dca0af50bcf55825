import { channel } from 'node:diagnostics_channel';
import type { Dispatcher } from 'undici';
import type { ByteBudget } from '../../base/collections/byte-budget.ts';
import type { Fence } from '../../base/concurrency/fence.ts';
import { collectBytes } from './collected-bytes.ts';

/** Name of the program in requests that have no other one. Some APIs, such as GitHub's, and many firewalls refuse a request without. */
export const USER_AGENT = 'provider-kyma';

/** The URL of a request, or its parts. */
type Target = Pick<URL, 'origin' | 'pathname' | 'search'>;

export interface HttpRequest<T extends Target = URL> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: T;
  /** Names in lower case. Default of `user-agent`: `USER_AGENT`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Called directly before the request is sent; may throw. */
  readonly fence?: Fence | undefined;
}

/** A response that was read to its end. */
export interface HttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Why there is no complete response. */
export interface NoResponse {
  /** False: the request was certainly not sent, so a retry cannot take effect twice. */
  readonly sent: boolean;
  /** The status, if the headers were received. */
  readonly status?: number;
  readonly error: unknown;
}

type SendResult = { readonly response: HttpResponse } | { readonly noResponse: NoResponse };

/** A response body longer than the limit. */
export class OversizedResponseError extends Error {}

/** There is no memory for the body now, since other ones have it. Later there may be. */
export class NoMemoryError extends Error {}

/** The text without a byte order mark, which JSON does not permit and some servers send. */
const withoutMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

/**
 * Sends one request and reads the response to its end, without redirects and retries. Never rejects. An aborted signal ends
 * it at once, with the signal's reason as the error.
 *
 * It uses no stream, which would take more CPU than the rest: a small response over TLS takes 55 µs, and 140 µs with
 * undici's `request`.
 *
 * @param maxBytes of the response body; reading stops there
 * @param memory that the body uses until it is read; default: no limit but `maxBytes`
 */
export function sendRequest(
  dispatcher: Dispatcher,
  request: HttpRequest<Target>,
  maxBytes: number,
  signal: AbortSignal,
  memory?: ByteBudget,
): Promise<SendResult> {
  const { method, url, headers, body: content, fence } = request;
  if (observedRequests.hasSubscribers) observedRequests.publish(request satisfies ObservedRequest);
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let sent = false;
    let head: { status: number; headers: Record<string, string> } | undefined;
    const body = collectBytes(memory);
    let over = false;

    const end = (result: SendResult) => {
      if (over) return;
      over = true;
      body.clear();
      signal.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const fail = (error: unknown) => {
      end({ noResponse: { sent, error, ...(head === undefined ? {} : { status: head.status }) } });
    };
    const onAbort = () => {
      fail(signal.reason);
      controller?.abort(asError(signal.reason));
    };
    if (signal.aborted) {
      fail(signal.reason);
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });

    const handler: Dispatcher.DispatchHandler = {
      // Called when a connection is available, directly before the request is written.
      onRequestStart: (started) => {
        controller = started;
        try {
          fence?.();
        } catch (error) {
          fail(error);
        }
        if (over) started.abort(asError(signal.reason));
        else sent = true;
      },
      onResponseStart: (_controller, status, responseHeaders) => {
        if (status >= 200) head = { status, headers: flatten(responseHeaders) };
      },
      onResponseData: (started, chunk) => {
        if (over) return;
        const isTooLong = body.size + chunk.length > maxBytes;
        if (!isTooLong && body.add(chunk)) return;
        const error = isTooLong
          ? new OversizedResponseError(`the answer is longer than ${maxBytes} bytes`)
          : new NoMemoryError('there is no memory for the answer now');
        fail(error);
        started.abort(error);
      },
      onResponseEnd: () => {
        if (head === undefined) fail(new Error('the response has no head'));
        else end({ response: { ...head, body: withoutMark(body.takeText()) } });
      },
      onResponseError: (_controller, error) => fail(error),
    };
    try {
      const path = url.pathname + url.search;
      dispatcher.dispatch(
        {
          origin: url.origin,
          path,
          method,
          headers: { 'user-agent': USER_AGENT, ...headers },
          body: content ?? null,
        },
        handler,
      );
    } catch (error) {
      fail(error);
    }
  });
}

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}

/** A request that is about to be sent. */
export interface ObservedRequest {
  readonly method: string;
  readonly url: Pick<URL, 'origin' | 'pathname' | 'search'>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly fence?: Fence | undefined;
  /** A fake in place of a client that its caller guards: `assertMayWrite` is called before it, and there is no fence. */
  readonly isGuardedByCaller?: true;
}

/** A channel of `node:diagnostics_channel` on which each request is published if it has subscribers, as in tests. */
export const observedRequests = channel('provider-kyma.request');

/** A client certificate is shown to a server. */
export interface ObservedConnection {
  readonly origin: string;
  /** The private key, as PEM. */
  readonly clientKey: string;
}

/** The same for connections, with each request for which one may be opened. */
export const observedConnections = channel('provider-kyma.connection');

export function publishConnection(origin: string, clientKey: string | undefined): void {
  if (clientKey !== undefined && observedConnections.hasSubscribers)
    observedConnections.publish({ origin, clientKey } satisfies ObservedConnection);
}

/** A fake in place of an external API publishes with this each call that writes. */
export function publishFakeWrite(
  call: string,
  guard: Pick<ObservedRequest, 'fence' | 'isGuardedByCaller'>,
): void {
  if (!observedRequests.hasSubscribers) return;
  const url = new URL(`https://external.example/${call}`);
  observedRequests.publish({ method: 'POST', url, headers: {}, ...guard } satisfies ObservedRequest);
}
