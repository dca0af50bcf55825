import { ProviderError } from '../../../../framework/base/index.ts';

import { ResponseError, type ResponseErrorDetails } from '../../../../framework/http/index.ts';

/**
 * The class of an error response.
 *
 * - `broker`                the response contains an error of the service broker, whatever the status
 * - `concurrent-operation`  422 `ConcurrentOperationInProgress`: another operation of the object is in progress
 * - `not-found`             404 of Service Manager: with its type of error, `NotFound`
 * - `gone`                  410, with `NotFound` or `Gone`
 * - `unclear`               another 404, 409 or 410: a gateway or a proxy may have answered
 * - `conflict`              409, with a type of error: the name is taken
 * - `auth`                  401 after a retry with a new token, or 403
 * - `transient`             5xx, 408, or any response of a router that has no route
 * - `non-transient`         all others, e.g. 400
 *
 * 429 is a ThrottledError instead.
 */
export type ServiceManagerErrorClass =
  | 'broker'
  | 'concurrent-operation'
  | 'not-found'
  | 'gone'
  | 'unclear'
  | 'conflict'
  | 'auth'
  | 'transient'
  | 'non-transient';

export interface ServiceManagerErrorDetails extends ResponseErrorDetails {
  readonly class: ServiceManagerErrorClass;
  readonly text: string;
  readonly brokerStatus?: number | undefined;
  readonly isEffectUnknown: boolean;
}

/**
 * An error response of Service Manager. `code` is the type of the error (`error` in the body), `kind` is `auth`,
 * `not-found` or `transient`. `status` is 503 for any response of a router that has no route.
 */
export class ServiceManagerError extends ResponseError {
  readonly class: ServiceManagerErrorClass;
  /**
   * The text for users: `BrokerError:<message>, Status: <n>, Description: <text>` for an error of the broker, else the
   * description. May be empty. One line, bounded, without known secrets.
   */
  readonly text: string;
  /** The status of the service broker's response, in a `broker` error. */
  readonly brokerStatus: number | undefined;
  override readonly isEffectUnknown: boolean;

  constructor(message: string, details: ServiceManagerErrorDetails) {
    super(message, details);
    this.class = details.class;
    this.text = details.text;
    this.brokerStatus = details.brokerStatus;
    this.isEffectUnknown = details.isEffectUnknown;
  }

  override withMessage(message: string): ServiceManagerError {
    return new ServiceManagerError(message, this);
  }
}

/** Why no plan was selected. */
export type PlanSelectionReason =
  | 'missing-names'
  | 'unknown-offering'
  | 'unknown-plan'
  | 'wrong-plan-id'
  | 'ambiguous';

/** Offering, plan and plan ID select no plan. The message is the text for users. Kind `transient`: the catalog may change. */
export class PlanSelectionError extends ProviderError {
  readonly reason: PlanSelectionReason;

  constructor(reason: PlanSelectionReason, message: string) {
    super('transient', message);
    this.reason = reason;
  }
}
