import type { Middleware } from 'openapi-fetch';
import type { Deps } from '../../base/deps.ts';
import type { ProviderError } from '../../base/errors/errors.ts';
import { errorOfResponse, type ResponseContext } from '../errors/error-of-response.ts';
import type { HttpResponse } from '../transport/send-request.ts';
import { apiRequest } from './api-request.ts';
import { apiResponse } from './api-response.ts';

/** The error for a response other than success. */
export type ErrorOf = (response: HttpResponse, context: ResponseContext) => ProviderError;

export interface ErrorResponsesOptions extends Pick<Deps, 'clock'> {
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
