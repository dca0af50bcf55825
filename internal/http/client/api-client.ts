/**
 * openapi-fetch on the HTTP client: typed paths from an OpenAPI document, and middleware (`client.use`), while each
 * request has the slots, deadline, circuit breaker, metrics and limits of `HttpClient`.
 *
 * Middleware of `client.use` runs in order before the request, and in reverse order after the response.
 */
import createOpenApiClient, { type Client, type Middleware } from 'openapi-fetch';
import type { Dispatcher } from 'undici';
import type { Fence } from '../../base/concurrency/fence.ts';
import type { JsonLimits } from '../../base/json/bounded-json.ts';
import { ApiRequest, apiRequest } from './api-request.ts';
import { ApiResponse } from './api-response.ts';
import type { HttpClient } from './http-client.ts';

export interface ApiClientOptions {
  readonly baseUrl: string;
  readonly http: HttpClient;
  readonly dispatcherFor: (url: URL) => Dispatcher;
  /** Of a JSON body, beside the limit in bytes of `http`. Default: those of `parseBoundedJson`. */
  readonly jsonLimits?: Omit<JsonLimits, 'maxLength'> | undefined;
}

export type ApiClient<Paths extends object> = Client<Paths>;

/** Each call needs a signal. Its errors are those of `HttpClient.send`, and what middleware throws. */
export function createApiClient<Paths extends object>(options: ApiClientOptions): ApiClient<Paths> {
  const { baseUrl, http, dispatcherFor } = options;
  // The length is bounded where the body is read.
  const jsonLimits = { ...options.jsonLimits, maxLength: Number.POSITIVE_INFINITY };

  const fetch = async (input: unknown): Promise<Response> => {
    const { method, url: text, headers, body, signal, route, fence } = apiRequest(input);
    const url = new URL(text);
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
    // openapi-fetch makes one, sets it up and passes it on; it uses no more of a Request than ApiRequest has.
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

/** For `middleware` of one call: the request leaves only if the fence lets it. */
export function fenced(fence: Fence): Middleware {
  return {
    onRequest: ({ request }) => {
      apiRequest(request).fence = fence;
    },
  };
}
