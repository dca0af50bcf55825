import type { Middleware } from 'openapi-fetch';
import type { Deps } from '../../base/deps.ts';
import { errorOfResponse } from '../errors/error-of-response.ts';
import { apiRequest } from './api-request.ts';
import { apiResponse } from './api-response.ts';

export interface ErrorResponsesOptions extends Pick<Deps, 'clock'> {
  /** Removes the secrets of the client from texts of the API. */
  readonly scrub: (text: string) => string;
}

/** Middleware that throws the error for a status other than success (`errorOfResponse`). */
export function errorResponses({ clock, scrub }: ErrorResponsesOptions): Middleware {
  return {
    onResponse: ({ request, response }) => {
      if (response.ok) return;
      const { route } = apiRequest(request);
      throw errorOfResponse(apiResponse(response).received, { route, scrub, nowMs: clock.now() });
    },
  };
}
