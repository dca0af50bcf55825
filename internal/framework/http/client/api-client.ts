/**
 * openapi-fetch on `HttpClient`: typed paths from an OpenAPI document and middleware (`client.use`), with the slots,
 * deadline, circuit breaker, metrics and limits of `HttpClient` for each request.
 *
 * Middleware of `client.use` runs in order before the request, and in reverse order after the response.
 */
import createOpenApiClient, { type Client, type Middleware } from 'openapi-fetch';
import type { Dispatcher } from 'undici';
import type { Fence } from '../../base/concurrency/fence.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import type { JsonLimits } from '../../base/json/bounded-json.ts';
import { ApiRequest, apiRequest } from './api-request.ts';
import { ApiResponse } from './api-response.ts';
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
