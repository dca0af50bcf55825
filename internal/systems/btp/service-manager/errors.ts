import { isObject, ProviderError, parseBoundedJson, ThrottledError } from '../../../framework/base/index.ts';
import {
  type HttpResponse,
  parseRetryAfter,
  type ResponseContext,
  ResponseError,
  type ResponseErrorDetails,
} from '../../../framework/http/index.ts';

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

interface ServiceManagerErrorDetails extends ResponseErrorDetails {
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

/** For a 429 without Retry-After, in ms. */
const DEFAULT_THROTTLE_MS = 1000;
/** Length of a text of Service Manager, in characters. */
const MAX_TEXT = 4096;
/** A body that exceeds these limits does not count as JSON. Its length is limited when it is read. */
const ERROR_LIMITS = { maxLength: Number.POSITIVE_INFINITY, maxDepth: 16, maxValues: 1000 };

/** The error for a response other than success: ThrottledError for 429, else ServiceManagerError. */
export function errorOfResponse(response: HttpResponse, context: ResponseContext): ProviderError {
  const { route, nowMs } = context;
  const { headers } = response;
  const body = parseError(response.body);
  // Scrubbed first: a secret across a cut would not be found.
  const clean = (text: string) => singleLine(context.scrub(text));
  const isRouter = headers['x-cf-routererror'] === 'unknown_route';
  const status = isRouter ? 503 : response.status;
  const text = clean(textOf(body));
  const quote = text === '' ? '' : `: ${text}`;
  const remark = isRouter ? ' (not by Service Manager: a router has no route to it)' : '';
  const message = `${route} answered ${response.status}${remark}${quote}`;
  if (status === 429) {
    const asked = { retryAfter: headers['retry-after'], date: headers.date };
    return new ThrottledError(message, parseRetryAfter(asked, nowMs) ?? DEFAULT_THROTTLE_MS);
  }
  const code = isOwn(body) ? clean(stringOf(body?.error)) : undefined;
  const isBroker = brokerError(body) !== undefined;
  const errorClass = classOf({ status, code, isBroker });
  return new ServiceManagerError(message, {
    kind: kindOf(errorClass),
    status,
    route,
    code,
    class: errorClass,
    text,
    brokerStatus: brokerError(body)?.status,
    // An error that Service Manager reports itself had no effect. Gateways answer in JSON as well.
    isEffectUnknown: status >= 500 && !isRouter && !isBroker && code === undefined,
  });
}

/** Whether a service broker gave the response: a 429 of a broker does not limit requests about others. */
export const isOfBroker = (response: HttpResponse): boolean =>
  brokerError(parseError(response.body)) !== undefined;

/** The error for a success status that the call does not have. */
export function unexpectedStatus(route: string, status: number): ServiceManagerError {
  return new ServiceManagerError(`${route} answered ${status}, which is unexpected`, {
    kind: 'transient',
    status,
    route,
    class: 'non-transient',
    text: `unexpected status ${status}`,
    isEffectUnknown: false,
  });
}

interface ErrorFacts {
  readonly status: number;
  readonly code: string | undefined;
  readonly isBroker: boolean;
}

function classOf({ status, code, isBroker }: ErrorFacts): ServiceManagerErrorClass {
  if (isBroker) return 'broker';
  if (status === 401 || status === 403) return 'auth';
  // Service Manager names the type of its errors. If a 404 of a gateway, which may be JSON or empty, counted as not found, an outage would
  // confirm deletions.
  if (status === 404) return code === 'NotFound' ? 'not-found' : 'unclear';
  if (status === 410) return code === 'NotFound' || code === 'Gone' ? 'gone' : 'unclear';
  if (status === 409) return code === undefined ? 'unclear' : 'conflict';
  if (status === 422 && code === 'ConcurrentOperationInProgress') return 'concurrent-operation';
  return status >= 500 || status === 408 ? 'transient' : 'non-transient';
}

function kindOf(errorClass: ServiceManagerErrorClass): 'auth' | 'not-found' | 'transient' {
  return errorClass === 'auth' || errorClass === 'not-found' ? errorClass : 'transient';
}

type Body = Readonly<Record<string, unknown>>;

/** Service Manager names the type of its errors and describes them. Gateways have the text of the status in `error`. */
const isOwn = (body: Body | undefined): boolean =>
  typeof body?.error === 'string' && typeof body.description === 'string';

function parseError(text: string): Body | undefined {
  try {
    const value = parseBoundedJson(text, ERROR_LIMITS);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(body: Body | undefined): string {
  const broker = brokerError(body);
  if (broker === undefined) return stringOf(body?.description);
  return `BrokerError:${broker.message}, Status: ${broker.status}, Description: ${broker.description}`;
}

/** The case of its keys varies between brokers. */
function brokerError(
  body: Body | undefined,
): { status: number; message: string; description: string } | undefined {
  const error = body?.broker_error;
  if (!isObject(error)) return undefined;
  const fields = new Map(Object.entries(error).map(([name, value]) => [name.toLowerCase(), value]));
  const status = fields.get('statuscode');
  return {
    status: typeof status === 'number' ? status : 0,
    message: stringOf(fields.get('errormessage')),
    description: stringOf(fields.get('description')),
  };
}

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function singleLine(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_TEXT);
}
