import { type Answer, type ErrorAnswers, json } from '../base/answer.ts';

/** An error in the form of Service Manager. */
export function failure(
  status: number,
  error: string,
  description: string,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return json(status, { error, description }, headers);
}

export const badRequest = (description: string) => failure(400, 'BadRequest', description);
export const notFound = (description: string) => failure(404, 'NotFound', description);
export const conflict = (description: string) => failure(409, 'Conflict', description);
export const concurrent = () =>
  failure(422, 'ConcurrentOperationInProgress', 'Another concurrent operation in progress for this resource');

export const errors: ErrorAnswers = {
  badRequest,
  unauthorized: (why) =>
    failure(401, 'Unauthorized', why, { 'www-authenticate': 'Bearer error="invalid_token"' }),
  unknown: (id) => notFound(`could not find such object: ${id}`),
  unavailable: (headers) => failure(503, 'ServiceUnavailable', 'try again later', headers),
};
