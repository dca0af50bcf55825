import { FencedError } from '../../base/concurrency/fence.ts';
import { NotAdmittedError } from '../../base/concurrency/limit-key.ts';
import {
  type ErrorKind,
  findCause,
  kindOf,
  messageOf,
  ProviderError,
  ThrottledError,
  WaitingError,
  wrap,
} from '../../base/errors/errors.ts';
import { EndpointRefusedError } from '../transport/endpoint-guard.ts';

export interface ResponseErrorDetails {
  readonly kind: ErrorKind;
  /** HTTP status of the response. */
  readonly status: number;
  /** Method and path template, e.g. `GET /v1/buckets/{name}`. */
  readonly route: string;
  /** The API's error code, if any. */
  readonly code?: string | undefined;
}

/**
 * A response other than success, from the API or a proxy. The message contains no credential. Kind `auth` for 401 and 403,
 * `not-found` for a 404 of the API, `transient` for all others.
 */
export class ResponseError extends ProviderError {
  readonly status: number;
  readonly route: string;
  readonly code: string | undefined;
  /** Whether the request may have had its effect: true after a gateway error. */
  readonly isEffectUnknown: boolean;

  constructor(message: string, { kind, status, route, code }: ResponseErrorDetails) {
    super(kind, message);
    this.status = status;
    this.route = route;
    this.code = code;
    this.isEffectUnknown = status >= 500;
  }

  /** The same error with another message. */
  withMessage(message: string): ResponseError {
    return new ResponseError(message, this);
  }
}

/**
 * The request was sent and its effect is unknown: no response, or one from a gateway. It was not retried; the external
 * resource must be observed first. Kind `transient`. If the signal was aborted, its reason is in `cause`.
 */
export class LostResponseError extends ProviderError {
  constructor(message: string, options?: ErrorOptions) {
    super('transient', message, options);
  }
}

export interface NoResponseDetails {
  /** Metric label: `timeout`, `connection_refused`, … */
  readonly code: string;
  /** False: the request was certainly not sent. */
  readonly sent: boolean;
  /** The signal ended the request; `cause` is its reason. */
  readonly aborted: boolean;
  readonly cause?: unknown;
}

/** No complete response was received. Kind `transient`. */
export class NoResponseError extends ProviderError {
  readonly code: string;
  readonly sent: boolean;
  readonly aborted: boolean;

  constructor(message: string, { code, sent, aborted, cause }: NoResponseDetails) {
    // Other causes may contain headers or bodies.
    super('transient', message, aborted ? { cause } : {});
    this.code = code;
    this.sent = sent;
    this.aborted = aborted;
  }
}

/** Whether a retry after this error may succeed. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof NoResponseError) return !error.aborted && !['oversized', 'tls'].includes(error.code);
  if (!(error instanceof ResponseError) || error.kind !== 'transient') return false;
  // A 404 of kind transient is from a router.
  return error.status >= 500 || error.status === 408 || error.status === 404;
}

/** As `isRetryable`, for a request that must not take effect twice: only if it was certainly not sent. */
export function isRetryableUnsent(error: unknown): boolean {
  return error instanceof NoResponseError && !error.sent && isRetryable(error);
}

interface FailedCall {
  /** Completes `cannot …`. */
  readonly doing: string;
  /** The route of a call that must not be retried if its response may have been lost. */
  readonly unrepeatable?: string;
  readonly signal: AbortSignal;
  readonly scrub: (text: string) => string;
  /** Where the credentials of the call are, for messages about their refusal. */
  readonly credentials?: string | undefined;
}

/**
 * The error of a call: `cannot <doing>: <cause>`, with the class and kind of its cause. For an aborted signal, the signal's
 * reason, unless the call may have had an effect.
 */
export function errorOfCall(
  error: unknown,
  { doing, unrepeatable, signal, scrub, credentials }: FailedCall,
): unknown {
  const message = `cannot ${doing}: ${messageOf(error)}`;
  if (error instanceof NoResponseError) {
    const { cause, aborted } = error;
    if (unrepeatable !== undefined && error.sent)
      return new LostResponseError(lost(message), aborted ? { cause } : {});
    return aborted ? cause : new NoResponseError(message, error);
  }
  if (error instanceof NotAdmittedError) return error;
  if (signal.aborted && (error === signal.reason || !(error instanceof ProviderError))) return signal.reason;
  if (error instanceof ThrottledError) return new ThrottledError(message, error.retryAfterMs);
  if (error instanceof EndpointRefusedError) return new EndpointRefusedError(message);
  if (error instanceof ResponseError) {
    const outcomeUnknown = error.isEffectUnknown && error.route === unrepeatable;
    if (outcomeUnknown) return new LostResponseError(lost(message));
    const isRefusal = error.kind === 'auth' && credentials !== undefined;
    return error.withMessage(isRefusal ? `${message} (credentials: ${credentials})` : message);
  }
  if (error instanceof FencedError) return wrap(error, `cannot ${doing}`);
  if (error instanceof ProviderError) return withoutCause(error, message);
  return scrubbed(error, message, scrub);
}

function lost(message: string): string {
  return `${message} (it may have taken effect)`;
}

/** With its effect on the reconcile. Its cause may have a credential. */
function withoutCause(error: ProviderError, message: string): ProviderError {
  const { kind, targets, retryAfterMs } = error;
  const effect = { targets, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  const waiting = findCause(error, WaitingError);
  return kind === 'waiting' && waiting !== undefined
    ? new WaitingError(message, { ...effect, retry: waiting.retry })
    : new ProviderError(kind, message, effect);
}

/** Other errors, mostly bugs, keep their stack; their message is redacted. */
function scrubbed(error: unknown, message: string, scrub: (text: string) => string): ProviderError {
  const own = new ProviderError(kindOf(error), scrub(message));
  if (error instanceof Error && error.stack !== undefined) own.stack = scrub(error.stack);
  return own;
}
