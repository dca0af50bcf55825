import { type ErrorKind, ProviderError } from '../../base/errors/errors.ts';

export interface ResponseErrorDetails {
  readonly kind: ErrorKind;
  /** HTTP status of the response. */
  readonly status: number;
  /** Method and path template, e.g. `GET /v1/buckets/{name}`. */
  readonly route: string;
  /** The API's own error code, if it gave one. */
  readonly code?: string | undefined;
}

/**
 * The API, or something before it, responded with other than success. The text holds neither token nor secret. Kind
 * `auth` for 401 and 403, `not-found` for the API's own 404, `transient` for all others.
 */
export class ResponseError extends ProviderError {
  readonly status: number;
  readonly route: string;
  readonly code: string | undefined;

  constructor(message: string, { kind, status, route, code }: ResponseErrorDetails) {
    super(kind, message);
    this.status = status;
    this.route = route;
    this.code = code;
  }
}

/**
 * A request that must not be repeated blindly was sent and its outcome is unknown: no response, or one from a gateway.
 * It was not repeated; observe before anything else. Kind `transient`. A caller's own abort is in `cause`.
 */
export class LostResponseError extends ProviderError {
  constructor(message: string, options?: ErrorOptions) {
    super('transient', message, options);
  }
}

export interface NoResponseDetails {
  /** Metric label: `timeout`, `connection_refused`, … */
  readonly code: string;
  /** False: the request provably never left. */
  readonly sent: boolean;
  /** The caller's signal ended the request; `cause` is its reason. */
  readonly aborted: boolean;
  readonly cause?: unknown;
}

/** A request that ended without a whole response. Kind `transient`. */
export class NoResponseError extends ProviderError {
  readonly code: string;
  readonly sent: boolean;
  readonly aborted: boolean;

  constructor(message: string, { code, sent, aborted, cause }: NoResponseDetails) {
    // Causes from below may hold headers or bodies; only the caller's own reason is passed on.
    super('transient', message, aborted ? { cause } : {});
    this.code = code;
    this.sent = sent;
    this.aborted = aborted;
  }
}
