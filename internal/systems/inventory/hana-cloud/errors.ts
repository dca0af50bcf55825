import {
  type ErrorOf,
  errorOfResponse,
  ResponseError,
  type ResponseText,
} from '../../../framework/http/index.ts';

/** A 404 of the API for a create: the instance does not exist or is not visible. Kind `not-found`. */
export class UnknownInstanceError extends ResponseError {}

/** As `errorOfResponse`; `not-found` only for a 404 in the form of openapi.yaml. */
export const errorOfHanaCloud: ErrorOf = (response, context) =>
  errorOfResponse(response, { ...context, isNotFound });

/** The codes of `NotFoundDetails` in openapi.yaml, in any spelling. */
const CODE = /^(instance|mapping|instancemapping|serviceinstance)?notfound$/;

/**
 * Whether a 404 says that there is no such instance or mapping: its code says that something is not found, and code or message
 * that this is an instance or a mapping. Gateways in front of the API have other codes or none, or name a route.
 */
function isNotFound({ code = '', message = '' }: ResponseText): boolean {
  const word = code.toLowerCase().replace(/[^a-z]/g, '');
  return CODE.test(word) && /instance|mapping/i.test(`${code} ${message}`);
}
