import { type ErrorKind, findCause, ProviderError } from '../../base/errors/errors.ts';
import { singleSpaced } from '../../base/text/text.ts';
import type { ApiStatus, StatusDetails } from './api-status.ts';

/** What was attempted, in the words of an error: `cannot <verb> <object> on <clusterName>`. */
export interface Attempt {
  readonly verb: string;
  /** `Secret shop/hana-admin`, or `secrets in namespace shop` for what concerns many. */
  readonly object: string;
  readonly clusterName: string;
}

export interface Refusal {
  readonly httpStatus: number;
  /** Absent where the body was not a Status: a proxy or load balancer answered. */
  readonly status?: ApiStatus | undefined;
  /** From the Retry-After header, in ms. */
  readonly retryAfterMs?: number | undefined;
}

/** A server's own texts are cut here, so that a message fits conditions and events. */
const MAX_CAUSE_LENGTH = 1024;

/** The patience where a server throttles without naming one. */
const DEFAULT_RETRY_AFTER_MS = 1000;

/** An answer that is not a success. The text is one line and names verb, object and cluster. */
export class KubeApiError extends ProviderError {
  /** The HTTP status. */
  readonly status: number;
  /** The reason of the Status object, e.g. `NotFound`; empty if there was none. */
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** False where the body was not a Status: something between us and the API server answered. */
  readonly fromApiServer: boolean;

  constructor(attempt: Attempt, refusal: Refusal) {
    const kind = kindOfRefusal(refusal);
    super(kind, `${sentence(attempt)}: ${causeOf(refusal)}`, retryAfter(kind, refusal));
    this.status = refusal.httpStatus;
    this.reason = refusal.status?.reason ?? '';
    this.details = refusal.status?.details;
    this.fromApiServer = refusal.status !== undefined;
  }
}

/** No answer came at all: the address is wrong, the network or the server is down, or too slow. */
export class UnreachableError extends ProviderError {
  constructor(attempt: Attempt, why: string, options?: ErrorOptions) {
    super('transient', `${sentence(attempt)}: ${why}`, options);
  }
}

/** The cluster said nothing at all in time, not even that it refuses. */
export class KubeTimeoutError extends UnreachableError {}

/** An answer was cut off because it was larger than we read; a list can be asked for in smaller pages. */
export class ResponseTooLargeError extends ProviderError {
  constructor(message: string) {
    super('transient', message);
  }
}

/** @returns `cannot get Secret shop/hana-admin on cluster kyma-1` */
export function sentence({ verb, object, clusterName }: Attempt): string {
  return `cannot ${verb} ${object} on ${clusterName}`;
}

/** Neither object nor kind is there. */
export function isNotFound(error: unknown): boolean {
  return statusOf(error) === 404;
}

/** A 404 that is not about one object: the server does not (yet) serve the kind. */
export function isUnknownKind(error: unknown): boolean {
  const api = findCause(error, KubeApiError);
  return api?.status === 404 && api.details?.name === undefined;
}

/** Nothing new is taken into the namespace, because it is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  const api = findCause(error, KubeApiError);
  return api?.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}

/** Somebody wrote the object in between; AlreadyExists, the other 409, is not meant. */
export function isConflict(error: unknown): boolean {
  return statusOf(error) === 409 && !isAlreadyExists(error);
}

export function isAlreadyExists(error: unknown): boolean {
  const api = findCause(error, KubeApiError);
  return api?.status === 409 && api.reason === 'AlreadyExists';
}

/** A JSON patch does not fit the object any more, or the object that it makes is invalid. */
export function isPatchRefused(error: unknown): boolean {
  return statusOf(error) === 422;
}

export function isForbidden(error: unknown): boolean {
  return statusOf(error) === 403;
}

export function isUnauthorized(error: unknown): boolean {
  return statusOf(error) === 401;
}

/** The resourceVersion or continue token is too old: start over with a fresh list. */
export function isGone(error: unknown): boolean {
  return statusOf(error) === 410;
}

/** The cluster could not be asked: no answer, or a proxy's word that nothing answers behind it. */
export function isUnreachable(error: unknown): boolean {
  if (findCause(error, UnreachableError)) return true;
  const api = findCause(error, KubeApiError);
  return api !== undefined && !api.fromApiServer && [502, 503, 504].includes(api.status);
}

/** The API server, or what stands before it, answered with a 5xx status. */
export function isServerError(error: unknown): boolean {
  return (statusOf(error) ?? 0) >= 500;
}

/** Nothing was heard of the cluster in time. */
export function isTimedOut(error: unknown): boolean {
  return findCause(error, KubeTimeoutError) !== undefined;
}

function statusOf(error: unknown): number | undefined {
  return findCause(error, KubeApiError)?.status;
}

/**
 * Invalid and too large objects stay so until they change. Any other 4xx may pass by itself: an admission
 * policy is lifted, a quota freed, a subresource enabled.
 */
function kindOfRefusal({ httpStatus, status, retryAfterMs }: Refusal): ErrorKind {
  switch (httpStatus) {
    case 401:
    case 403:
      return 'auth';
    case 404:
      return 'not-found';
    case 409:
      return status?.reason === 'AlreadyExists' ? 'transient' : 'conflict';
    case 413:
    case 422:
      return 'terminal';
    case 429:
      return 'throttled';
    default:
      return (retryAfterMs ?? status?.details?.retryAfterSeconds) === undefined ? 'transient' : 'throttled';
  }
}

function retryAfter(kind: ErrorKind, { status, retryAfterMs }: Refusal): { retryAfterMs?: number } {
  if (kind !== 'throttled') return {};
  const seconds = status?.details?.retryAfterSeconds;
  const inBody = seconds === undefined ? undefined : seconds * 1000;
  return { retryAfterMs: retryAfterMs ?? inBody ?? DEFAULT_RETRY_AFTER_MS };
}

function causeOf({ httpStatus, status }: Refusal): string {
  if (httpStatus === 404 && status?.details?.name === undefined) {
    return status?.message
      ? singleSpaced(status.message, MAX_CAUSE_LENGTH)
      : 'the server does not serve this kind of object';
  }
  if (status?.message) return singleSpaced(status.message, MAX_CAUSE_LENGTH);
  return `HTTP status ${httpStatus}${status ? '' : ' from something that is not an API server'}`;
}
