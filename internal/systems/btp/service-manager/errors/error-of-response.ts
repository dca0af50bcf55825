import {
  isObject,
  type ProviderError,
  parseBoundedJson,
  ThrottledError,
} from '../../../../framework/base/index.ts';

import {
  type HttpResponse,
  parseRetryAfter,
  type ResponseContext,
} from '../../../../framework/http/index.ts';
import { ServiceManagerError, type ServiceManagerErrorClass } from './errors.ts';

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
