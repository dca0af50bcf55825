import type { Middleware } from 'openapi-fetch';
import { type ApiRequest, apiRequest } from './api-client.ts';

export interface BearerTokenOptions {
  /** A token that is not about to expire. */
  readonly token: (signal: AbortSignal) => Promise<string>;
  /** The API refused this token. */
  readonly onRefused: (token: string) => void;
}

/**
 * Middleware that authorizes requests (RFC 6750). After a 401 it sends the request once more with a new token, since the
 * token may have been revoked.
 */
export function bearerToken({ token, onRefused }: BearerTokenOptions): Middleware {
  const authorize = async (request: ApiRequest) => {
    request.headers.set('authorization', SCHEME + (await token(request.signal)));
  };
  return {
    onRequest: ({ request }) => authorize(apiRequest(request)).then(() => undefined),
    onResponse: async ({ request, response, options }) => {
      if (response.status !== 401) return undefined;
      const refused = apiRequest(request);
      onRefused(refused.headers.get('authorization')?.slice(SCHEME.length) ?? '');
      await authorize(refused);
      return options.fetch(request);
    },
  };
}

const SCHEME = 'Bearer ';
