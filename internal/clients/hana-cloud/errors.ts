import { type ErrorKind, ProviderError } from '../../base/errors.ts';

export interface HanaApiErrorDetails {
  readonly kind: ErrorKind;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Method and path template, e.g. `GET /inventory/v2/serviceInstances/{serviceInstanceID}/instanceMappings`. */
  readonly route: string;
  /** The API's own error code, if it gave one. */
  readonly code?: string | undefined;
}

/** The API, or something before it, answered with other than success. The text holds neither token nor secret. */
export class HanaApiError extends ProviderError {
  readonly status: number;
  readonly route: string;
  readonly code: string | undefined;

  constructor(message: string, { kind, status, route, code }: HanaApiErrorDetails) {
    super(kind, message);
    this.status = status;
    this.route = route;
    this.code = code;
  }
}

/** The API's own 404 to a create: no such instance, or these credentials cannot see it. Kind `not-found`. */
export class UnknownInstanceError extends HanaApiError {}

/**
 * A create was sent and nobody knows whether it took effect: no answer, or one from a gateway. It was not repeated;
 * list before anything else. Kind `transient`. A caller's own abort is in `cause`.
 */
export class LostAnswerError extends ProviderError {
  constructor(message: string, options?: ErrorOptions) {
    super('transient', message, options);
  }
}

/** The credentials name an endpoint that must not be called: loopback, private, link-local and the like. Kind `auth`. */
export class EndpointRefusedError extends ProviderError {
  constructor(message: string) {
    super('auth', message);
  }
}
