import { type ErrorKind, ProviderError } from '../../base/errors/errors.ts';

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
