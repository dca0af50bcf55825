import { type ErrorKind, findCause, ProviderError } from '../../base/errors/errors.ts';
import { valueAt } from '../../base/json/json-value.ts';
import { redact } from '../../base/text/redact.ts';
import { singleSpaced } from '../../base/text/text.ts';
import { impossibleKey } from '../object/object.ts';

/** The parts of an error message: `cannot <verb> <object> on <clusterName>`. */
export interface Attempt {
  readonly verb: string;
  /** `Secret shop/hana-admin`, or `secrets in namespace shop` for a collection. */
  readonly object: string;
  readonly clusterName: string;
}

export interface Refusal {
  readonly httpStatus: number;
  /** Absent if the body is not a Status: the response is from a proxy or load balancer. */
  readonly status?: ApiStatus | undefined;
  /** From the Retry-After header, in ms. */
  readonly retryAfterMs?: number | undefined;
  /** Of a 404: it is not about the object or kind of the request, or not of an API server, so it proves nothing. Default false. */
  readonly isForeign?: boolean | undefined;
}

/** Length of a server's text in messages, which must fit conditions and events. */
const MAX_CAUSE_LENGTH = 1024;

/** For a 429 without Retry-After. */
const DEFAULT_RETRY_AFTER_MS = 1000;

/** A response other than success. The message is one line and names verb, object and cluster. */
export class KubeApiError extends ProviderError {
  /** The HTTP status. */
  readonly status: number;
  /** The reason of the Status object, e.g. `NotFound`; empty if there was none. */
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** False if the body is not a Status: the response is from a proxy or load balancer. */
  readonly fromApiServer: boolean;
  /** Of a 404: it proves nothing about the object and its kind. */
  readonly isForeign: boolean;

  constructor(attempt: Attempt, refusal: Refusal) {
    const kind = kindOfRefusal(refusal);
    super(kind, `${sentence(attempt)}: ${causeOf(refusal)}`, retryAfter(kind, refusal));
    this.status = refusal.httpStatus;
    this.reason = refusal.status?.reason ?? '';
    this.details = refusal.status?.details;
    this.fromApiServer = refusal.status !== undefined;
    this.isForeign = refusal.isForeign ?? false;
  }
}

export interface UnreachableOptions extends ErrorOptions {
  readonly missingHost?: string | undefined;
}

/** No response: the address is wrong, or the network or the server is down or too slow. */
export class UnreachableError extends ProviderError {
  /** The name that the resolver says does not exist: the host of the server or of a proxy. */
  readonly missingHost: string | undefined;

  constructor(attempt: Attempt, why: string, { missingHost, ...options }: UnreachableOptions = {}) {
    super('transient', `${sentence(attempt)}: ${why}`, options);
    this.missingHost = missingHost;
  }
}

/** The server's certificate is not of the authority that the kubeconfig has, or it does not speak TLS. */
export class UntrustedServerError extends ProviderError {
  constructor(attempt: Attempt, why: string) {
    super('transient', `${sentence(attempt)}: the server's TLS certificate or handshake is refused: ${why}`);
  }
}

/** No response in time, not even a refused connection. */
export class KubeTimeoutError extends UnreachableError {}

/** The response is larger than the limit. A list can be retried with smaller pages. */
export class ResponseTooLargeError extends ProviderError {
  constructor(message: string) {
    super('transient', message);
  }
}

/** @returns `cannot get Secret shop/hana-admin on cluster kyma-1` */
export function sentence({ verb, object, clusterName }: Attempt): string {
  return `cannot ${verb} ${object} on ${clusterName}`;
}

/** The object or its kind does not exist, as the API server says of this very object. Never for a 404 of a proxy. */
export function isNotFound(error: unknown): boolean {
  const api = findCause(error, KubeApiError);
  return api?.status === 404 && !api.isForeign;
}

/** A 404 of the API server without the name of an object: it does not serve the kind. */
export function isUnknownKind(error: unknown): boolean {
  const api = findCause(error, KubeApiError);
  return api?.status === 404 && !api.isForeign && api.details?.name === undefined;
}

/** The namespace is being deleted, so no object can be created in it. */
export function isNamespaceTerminating(error: unknown): boolean {
  const api = findCause(error, KubeApiError);
  return api?.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}

/**
 * The object was changed or replaced since it was read. False for AlreadyExists, which is a 409 as well, and for a 409 of a proxy. A PATCH
 * with the UID of a replaced object is a 422.
 */
export function isConflict(error: unknown): boolean {
  const api = findCause(error, KubeApiError);
  if (api?.fromApiServer !== true || isAlreadyExists(error)) return false;
  return api.status === 409 || isOtherUid(api.status, api.details);
}

const isOtherUid = (status: number, details: StatusDetails | undefined): boolean =>
  status === 422 && details?.causes?.some(({ field }) => field === 'metadata.uid') === true;

export function isAlreadyExists(error: unknown): boolean {
  const api = findCause(error, KubeApiError);
  return api?.status === 409 && api.reason === 'AlreadyExists';
}

/** For a create whose object may exist: `.catch(undefinedIfExists)`. @throws any other error */
export function undefinedIfExists(error: unknown): undefined {
  if (!isAlreadyExists(error)) throw error;
}

/** A `test` of a JSON patch failed, or the patched object is invalid. */
export function isPatchRefused(error: unknown): boolean {
  return statusOfApiServer(error) === 422 && !isConflict(error);
}

/** The object is too large for etcd, or the request for the API server. etcd's refusal arrives as 500, with its text. */
export function isTooLarge(error: unknown): boolean {
  const api = findCause(error, KubeApiError);
  return api?.status === 413 || /request is too large|larger than max/.test(api?.message ?? '');
}

export function isForbidden(error: unknown): boolean {
  return statusOf(error) === 403;
}

export function isUnauthorized(error: unknown): boolean {
  return statusOf(error) === 401;
}

/** The resourceVersion or continue token is too old: a new list is needed. */
export function isGone(error: unknown): boolean {
  return statusOf(error) === 410;
}

/** The API server has refused the request, which had no effect. */
export function isRefused(error: unknown): boolean {
  return (statusOfApiServer(error) ?? 500) < 500;
}

/** The request is invalid, e.g. its resourceVersion is none of the server's. */
export function isInvalid(error: unknown): boolean {
  return statusOf(error) === 400;
}

/** No response from the cluster, or a gateway error (404, 502, 503, 504) of a proxy. */
export function isUnreachable(error: unknown): boolean {
  if (findCause(error, UnreachableError)) return true;
  const api = findCause(error, KubeApiError);
  if (api === undefined || api.fromApiServer) return false;
  return api.isForeign || [502, 503, 504].includes(api.status);
}

export function isUntrusted(error: unknown): boolean {
  return findCause(error, UntrustedServerError) !== undefined;
}

/** A 5xx response of the API server or of a proxy. */
export function isServerError(error: unknown): boolean {
  return (statusOf(error) ?? 0) >= 500;
}

export function isTimedOut(error: unknown): boolean {
  return findCause(error, KubeTimeoutError) !== undefined;
}

function statusOf(error: unknown): number | undefined {
  return findCause(error, KubeApiError)?.status;
}

/** Undefined also for an answer of a proxy. */
function statusOfApiServer(error: unknown): number | undefined {
  const api = findCause(error, KubeApiError);
  return api?.fromApiServer ? api.status : undefined;
}

/**
 * Invalid and too large objects are `terminal`. Any other 4xx is transient: an admission policy, a quota or a subresource
 * may change. So is what a proxy or firewall refuses: it knows nothing of the object.
 */
function kindOfRefusal({ httpStatus, status, retryAfterMs, isForeign }: Refusal): ErrorKind {
  if (isForeign || (status === undefined && [409, 413, 422].includes(httpStatus))) return 'transient';
  switch (httpStatus) {
    case 401:
    case 403:
      return 'auth';
    case 404:
      return 'not-found';
    case 409:
      return status?.reason === 'AlreadyExists' ? 'transient' : 'conflict';
    case 413:
      return 'terminal';
    case 422:
      return isOtherUid(httpStatus, status?.details) ? 'conflict' : 'terminal';
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

function causeOf(refusal: Refusal): string {
  const { httpStatus, status, isForeign } = refusal;
  const cause = serverText(refusal);
  const { name, group = '' } = status?.details ?? {};
  // References are not validated as names are. Kinds of other groups, such as roles, may have other names.
  const isOfCore = httpStatus === 404 && !isForeign && group === '';
  const why = isOfCore && name !== undefined ? impossibleKey(name) : undefined;
  return why === undefined ? cause : `${cause}: ${why}`;
}

function serverText({ httpStatus, status, isForeign }: Refusal): string {
  if (httpStatus === 404 && !isForeign && status?.details?.name === undefined) {
    return status?.message
      ? singleSpaced(status.message, MAX_CAUSE_LENGTH)
      : 'the server does not serve this kind of object';
  }
  if (status?.message) return singleSpaced(status.message, MAX_CAUSE_LENGTH);
  return `HTTP status ${httpStatus}${status ? '' : ' from something that is not an API server'}`;
}

type Scrub = (text: string) => string;

/** The fields of a `v1 Status` that are used here. */
export interface ApiStatus {
  readonly message: string;
  /** Machine-readable, e.g. `NotFound`, `AlreadyExists`; empty if the server sent none. */
  readonly reason: string;
  readonly code: number | undefined;
  readonly details: StatusDetails | undefined;
}

export interface StatusDetails {
  /** The name of the object. Absent in a 404 if the server does not serve the kind. */
  readonly name?: string;
  readonly group?: string;
  /** The plural of the resource, not the kind. */
  readonly kind?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly StatusCause[];
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The text of each is searched for credentials, and the server of a tenant may send very many. */
const MAX_CAUSES = 50;

/**
 * The Status in `body`, or undefined if the response is not from an API server.
 *
 * @param scrub masks credentials in its texts. Default: those that are recognised by form or name
 */
export function parseApiStatus(body: string, scrub: Scrub = redact): ApiStatus | undefined {
  try {
    return readApiStatus(JSON.parse(body), scrub);
  } catch {
    return undefined;
  }
}

export function readApiStatus(value: unknown, scrub: Scrub = redact): ApiStatus | undefined {
  if (valueAt(value, ['kind']) !== 'Status') return undefined;
  const details = valueAt(value, ['details']);
  return {
    message: scrub(text(value, 'message') ?? ''),
    reason: text(value, 'reason') ?? '',
    code: count(value, 'code'),
    details: typeof details === 'object' && details !== null ? readDetails(details, scrub) : undefined,
  };
}

function readDetails(details: object, scrub: Scrub): StatusDetails {
  const causes = valueAt(details, ['causes']);
  return {
    ...optional('name', text(details, 'name')),
    ...optional('group', text(details, 'group')),
    ...optional('kind', text(details, 'kind')),
    ...optional('retryAfterSeconds', count(details, 'retryAfterSeconds')),
    ...(Array.isArray(causes)
      ? { causes: causes.slice(0, MAX_CAUSES).map((cause) => readCause(cause, scrub)) }
      : {}),
  };
}

function readCause(cause: unknown, scrub: Scrub): StatusCause {
  const message = text(cause, 'message');
  return {
    ...optional('reason', text(cause, 'reason')),
    ...optional('message', message === undefined ? undefined : scrub(message)),
    ...optional('field', text(cause, 'field')),
  };
}

function text(value: unknown, key: string): string | undefined {
  const found = valueAt(value, [key]);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function count(value: unknown, key: string): number | undefined {
  const found = valueAt(value, [key]);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}
