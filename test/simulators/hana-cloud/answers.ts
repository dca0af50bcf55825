import { type Answer, type ErrorAnswers, json } from '../base/answer.ts';

/** The API's own error. */
export function apiError(
  status: number,
  code: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return json(status, { code, message }, headers);
}

export const errors: ErrorAnswers = {
  badRequest: (why) => apiError(400, 'BAD_REQUEST', why),
  unauthorized: (why) =>
    apiError(401, 'UNAUTHORIZED', why, { 'www-authenticate': 'Bearer error="invalid_token"' }),
  unknown: (id) => apiError(404, 'NOT_FOUND', `service instance ${id} is unknown`),
  unavailable: (headers) => apiError(503, 'UNAVAILABLE', 'try again later', headers),
};
