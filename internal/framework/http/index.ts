/**
 * HTTP clients of external APIs. `createApiSessions` combines connections and TLS, tokens, retries, limits and errors.
 * README.md shows how to build a client with it.
 */
export type { ApiClient, ErrorOf } from './client/api-client.ts';
export { fenced } from './client/api-client.ts';
export {
  contractError,
  errorOfResponse,
  type ResponseContext,
  type ResponseText,
} from './errors/error-of-response.ts';
export {
  isRetryable,
  isRetryableUnsent,
  LostResponseError,
  type NoResponseDetails,
  NoResponseError,
  ResponseError,
  type ResponseErrorDetails,
} from './errors/errors.ts';
export {
  type ApiCredentials,
  type ClientAuthentication,
  type ClientCertificateProblem,
  clientCertificateOf,
  clientCertificateProblems,
  sealCredentials,
} from './oauth/api-credentials.ts';
export type { ClientSecretMethod } from './oauth/client-credentials-grant.ts';
export {
  type FixedAuthentication,
  type FixedCredentials,
  sealFixedCredentials,
} from './oauth/fixed-credentials.ts';
export { apiOf, viewerOf } from './oauth/viewer.ts';
export { parseRetryAfter, type RetryAfterHeaders } from './retry/retry-after.ts';
export type { ApiSession, SessionCall, SessionClientOptions, TokenCheck } from './session/api-session.ts';
export {
  type ApiSessions,
  createApiSessions,
  type KnownAccess,
  type SessionAccess,
} from './session/api-sessions.ts';
export type { ApiSessionsOptions } from './session/api-sessions-options.ts';
export type { CalledHosts } from './session/called-hosts.ts';
export { createKnownHosts, type KnownHosts } from './session/known-hosts.ts';
export type { ClientCertificate } from './transport/connections.ts';
export { EndpointRefusedError } from './transport/endpoint-guard.ts';
export type { HttpResponse } from './transport/send-request.ts';
