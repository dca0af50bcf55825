import type { Fence } from '../../base/concurrency/fence.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import type { HttpRequest } from '../transport/send-request.ts';

/** The options of openapi-fetch for a request. */
export interface ApiRequestInit {
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
