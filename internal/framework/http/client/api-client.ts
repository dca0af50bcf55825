/**
 * openapi-fetch on `HttpClient`: typed paths from an OpenAPI document and middleware (`client.use`), with the slots,
 * deadline, circuit breaker, metrics and limits of `HttpClient` for each request.
 *
 * Middleware of `client.use` runs in order before the request, and in reverse order after the response.
 */
import type { Client, Middleware } from 'openapi-fetch';
import createOpenApiClient from 'openapi-fetch';
import type { Dispatcher } from 'undici';
import type { Fence } from '../../base/concurrency/fence.ts';
import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { JsonLimitError, type JsonLimits, parseBoundedJson } from '../../base/json/json-text.ts';
import { contractError, errorOfResponse, type ResponseContext } from '../errors/error-of-response.ts';
import type { HttpRequest, HttpResponse } from '../transport/send-request.ts';
import type { HttpClient } from './http-client.ts';

export interface ApiClientOptions {
  readonly baseUrl: string;
  readonly http: HttpClient;
  readonly dispatcherFor: (url: URL) => Dispatcher;
  /** For JSON bodies, in addition to the limit in bytes of `http`. Default: those of `parseBoundedJson`. */
  readonly jsonLimits?: Omit<JsonLimits, 'maxLength'> | undefined;
}

export type ApiClient<Paths extends object> = Client<Paths>;

/**
 * Each call needs a signal. It throws the errors of `HttpClient.send` and of middleware. Requests have the credentials of one API, so one
 * for another origin than that of `baseUrl` is refused before it is sent.
 */
export function createApiClient<Paths extends object>(options: ApiClientOptions): ApiClient<Paths> {
  const { baseUrl, http, dispatcherFor } = options;
  const { origin } = new URL(baseUrl);
  // The length is limited when the body is read.
  const jsonLimits = { ...options.jsonLimits, maxLength: Number.POSITIVE_INFINITY };

  const fetch = async (input: unknown): Promise<Response> => {
    const { method, url: text, headers, body, signal, route, fence } = apiRequest(input);
    const url = new URL(text);
    if (url.origin !== origin)
      throw new ProviderError('bug', `${route} is for ${origin}, and must not be sent to ${url.origin}`);
    const request = {
      method,
      url,
      headers: Object.fromEntries(headers),
      ...(body === undefined ? {} : { body }),
      fence,
    };
    const response = await http.send({ route, request, dispatcher: () => dispatcherFor(url) }, signal);
    return new ApiResponse(response, { route, jsonLimits });
  };

  const client = createOpenApiClient<Paths>({
    baseUrl,
    headers: { accept: 'application/json' },
    fetch,
    // openapi-fetch only uses the properties of a Request that ApiRequest has.
    Request: ApiRequest as unknown as typeof Request,
  });
  client.use(routes);
  return client;
}

const routes: Middleware = {
  onRequest: ({ request, schemaPath }) => {
    apiRequest(request).route = `${request.method} ${schemaPath}`;
  },
};

/**
 * Middleware of one call: the fence is called before the request is sent. A session's client calls it after the wait for a slot, directly
 * before the request; any other client of openapi-fetch when the middleware runs, so give it this middleware last.
 */
export function fenced(fence: Fence): Middleware {
  return {
    onRequest: ({ request }) => {
      if (request instanceof ApiRequest) request.fence = fence;
      else fence();
    },
  };
}

/** The options of openapi-fetch for a request. */
interface ApiRequestInit {
  readonly method: string;
  readonly headers: Headers;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/**
 * The request of a call. It replaces the global Request, whose streams and listeners take several times the CPU of the
 * HTTP request.
 */
export class ApiRequest {
  readonly method: HttpRequest['method'];
  /** Middleware may add parameters. */
  url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  /** Aborts the call, also while it waits for a slot. */
  readonly signal: AbortSignal;
  /** Method and path template. */
  route = '';
  fence: Fence | undefined = undefined;

  constructor(url: string, { method, headers, body, signal }: ApiRequestInit) {
    if (!isMethod(method)) throw new ProviderError('bug', `${method} is no method of an API call`);
    if (!signal) throw new ProviderError('bug', `${method} ${url} has no signal`);
    if (body !== undefined && typeof body !== 'string') {
      throw new ProviderError('bug', `the body of ${method} ${url} is no text`);
    }
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.body = body;
    this.signal = signal;
  }
}

/** The request that middleware gets. */
export function apiRequest(request: unknown): ApiRequest {
  if (request instanceof ApiRequest) return request;
  throw new ProviderError('bug', 'the request is not one of createApiClient');
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies HttpRequest['method'][];

function isMethod(method: string): method is HttpRequest['method'] {
  return METHODS.some((known) => known === method);
}

interface ApiResponseOptions {
  readonly route: string;
  readonly jsonLimits: JsonLimits;
}

/**
 * A response that was read completely, with the interface of the global Response. It has no stream, which would take most
 * of the CPU of a call, and accepts any status and header.
 */
class ApiResponse extends Response {
  override readonly status: number;
  override readonly ok: boolean;
  override readonly headers: Headers;
  /** The response as received. */
  readonly received: HttpResponse;
  override readonly text: () => Promise<string>;
  /** Checks the limits before it parses. @throws `transient` if the body exceeds a limit or is not JSON */
  override readonly json: () => Promise<unknown>;

  constructor(received: HttpResponse, { route, jsonLimits }: ApiResponseOptions) {
    super(null);
    const { status, body } = received;
    this.received = received;
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = headersOf(received);
    this.text = async () => body;
    this.json = async () => parseJson(body, route, jsonLimits);
  }
}

/** The response that middleware gets. */
function apiResponse(response: unknown): ApiResponse {
  if (response instanceof ApiResponse) return response;
  throw new ProviderError('bug', 'the response is not one of createApiClient');
}

/**
 * Sets the length of the body as read: openapi-fetch calls `json` for bodies with a known length, and parses others itself,
 * without limits.
 */
function headersOf({ headers: received, body }: HttpResponse): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    // Characters outside of Latin-1 are not valid in headers (RFC 9110, section 5.5).
    if (HEADER_VALUE.test(value)) headers.set(name, value);
  }
  headers.delete('transfer-encoding');
  headers.set('content-length', String(Buffer.byteLength(body)));
  return headers;
}

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function parseJson(body: string, route: string, limits: JsonLimits): unknown {
  try {
    return parseBoundedJson(body, limits);
  } catch (error) {
    // The parser's message would quote the body.
    const why = error instanceof JsonLimitError ? `a JSON text ${error.message}` : 'not JSON';
    throw contractError(route, `the body is ${why}`);
  }
}

/** The error for a response other than success. */
export type ErrorOf = (response: HttpResponse, context: ResponseContext) => ProviderError;

interface ErrorResponsesOptions extends Pick<Deps, 'clock'> {
  /** Removes the secrets of the client from texts of the API. */
  readonly scrub: (text: string) => string;
  /** Default: `errorOfResponse`. */
  readonly errorOf?: ErrorOf | undefined;
}

/** Middleware that throws the error for a status other than success. */
export function errorResponses({
  clock,
  scrub,
  errorOf = errorOfResponse,
}: ErrorResponsesOptions): Middleware {
  return {
    onResponse: ({ request, response }) => {
      if (response.ok) return;
      const { route } = apiRequest(request);
      throw errorOf(apiResponse(response).received, { route, scrub, nowMs: clock.now() });
    },
  };
}
