import type { Middleware } from 'openapi-fetch';
import { ProviderError, parseBoundedJson } from '../../../../framework/base/index.ts';
import {
  type ApiClient,
  type ApiSession,
  contractError,
  fenced,
  isRetryable,
  isRetryableUnsent,
  NoResponseError,
} from '../../../../framework/http/index.ts';
import {
  errorOfResponse,
  ServiceManagerError,
  type ServiceManagerErrorClass,
  unexpectedStatus,
} from '../errors.ts';
import { type Deletion, DifferenceError, type Reader, readerOf } from '../objects.ts';
import type { paths } from '../openapi.gen.ts';
import { type OperationPath, operationURL, parseOperationURL } from '../operation-url.ts';
import { originatingIdentity } from '../originating-identity.ts';
import { serializeQuery } from '../query.ts';
import type { CallOptions, WriteOptions } from '../service-manager-client.ts';

type Client = ApiClient<paths>;

/** Options of each request: bodies are read as text, since the text of credentials is needed. */
interface RequestOptions {
  readonly signal: AbortSignal;
  readonly parseAs: 'text';
  readonly querySerializer: typeof serializeQuery;
  readonly middleware: Middleware[];
}

/** The result of a request of openapi-fetch with these options. */
interface Received {
  readonly data?: unknown;
  readonly response: Response;
}

export interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  /** The body as received. */
  readonly text: string;
}

interface ApiCall<T> {
  /** Completes `cannot …`. */
  readonly doing: string;
  /** Method and path template. */
  readonly route: string;
  readonly request: (client: Client, options: RequestOptions) => Promise<Received>;
  /** Statuses of success; another one below 300 is an error. */
  readonly statuses: readonly number[];
  readonly parse: (answer: Answer) => T;
}

/** The calls of one client: headers, admission, retries and errors. */
export interface ApiCalls {
  readonly scrub: (text: string) => string;
  /** Retried if there was no response. */
  read<T>(call: ApiCall<T>, options: CallOptions): Promise<T>;
  /** Retried if it was certainly not sent. */
  write<T>(call: ApiCall<T>, options: WriteOptions): Promise<T>;
  /** As `write`; LostResponseError if it may have taken effect. */
  create<T>(call: ApiCall<T>, options: WriteOptions): Promise<T>;
}

interface ApiCallsOptions {
  readonly session: ApiSession;
  readonly clientVersion: string;
  readonly correlationID: string;
}

/** For lists: an instance has about 30 values, and parameters or credentials of a few hundred. */
const JSON_LIMITS = { maxLength: Number.POSITIVE_INFINITY, maxDepth: 64, maxValues: 200_000 };

export function createApiCalls({ session, clientVersion, correlationID }: ApiCallsOptions): ApiCalls {
  const client = session.client<paths>({ errorOf: errorOfResponse });
  client.use({
    onRequest: ({ request: { headers } }) => {
      headers.set('content-type', 'application/json');
      headers.set('client-name', 'sap-btp-service-operator');
      headers.set('client-version', clientVersion);
      headers.set('x-correlationid', correlationID);
    },
  });

  const attempt = async <T>(call: ApiCall<T>, signal: AbortSignal, middleware: Middleware[]): Promise<T> => {
    const { route, request, statuses, parse } = call;
    const options = { signal, parseAs: 'text', querySerializer: serializeQuery, middleware } as const;
    const { data, response } = await request(client, options);
    const { status, headers } = response;
    if (!statuses.includes(status)) throw unexpectedStatus(route, status);
    const text = typeof data === 'string' ? data : '';
    try {
      return parse({ status, text, location: headers.get('location') ?? undefined });
    } catch (error) {
      if (error instanceof DifferenceError) throw contractError(route, error.message);
      throw error;
    }
  };
  const writing = ({ fence, userInfo }: WriteOptions) => [fenced(fence), originating(userInfo)];

  return {
    scrub: (text) => session.scrub(text),
    read: async (call, { signal }) => {
      const { doing } = call;
      await session.admit({ doing, signal });
      return session.call({ doing, signal, isRetryable: isUnanswered }, () => attempt(call, signal, []));
    },
    write: async (call, options) => {
      const { doing } = call;
      const { signal } = options;
      await session.admit({ doing, signal });
      return session.call({ doing, signal, isRetryable: isRetryableUnsent }, () =>
        attempt(call, signal, writing(options)),
      );
    },
    create: async (call, options) => {
      const { doing, route: unrepeatable } = call;
      const { signal } = options;
      await session.admit({ doing, signal });
      return session.call({ doing, signal, isRetryable: isRetryableUnsent, unrepeatable }, () =>
        attempt(call, signal, writing(options)),
      );
    },
  };
}

/** Error responses are for the reconciler, which shows them to users. */
const isUnanswered = (error: unknown) => error instanceof NoResponseError && isRetryable(error);

function originating(userInfo: WriteOptions['userInfo']): Middleware {
  const identity = originatingIdentity(userInfo);
  return {
    onRequest: ({ request }) => {
      if (identity !== undefined) request.headers.set('x-originating-identity', identity);
    },
  };
}

/** The body as an object. */
export function bodyOf({ text }: Answer): Reader {
  if (text === '') throw new DifferenceError('the body is empty');
  let value: unknown;
  try {
    value = parseBoundedJson(text, JSON_LIMITS);
  } catch {
    // The parser's message would quote the body.
    throw new DifferenceError('the body is not JSON, or too large');
  }
  return readerOf(value);
}

/** Length of a Location in a message, in characters. */
const MAX_QUOTE = 200;

const failures = {
  service_instances: 'failed to extract the service instance ID from the async operation URL',
  service_bindings: 'failed to extract smBinding ID from operation URL',
} as const;

/** The operation that a 202 names in its header Location. */
export function acceptedOperation(
  { location = '' }: Answer,
  collection: OperationPath['collection'],
  scrub: (text: string) => string,
): { readonly state: 'in-progress'; readonly id: string; readonly operationURL: string } {
  const path = parseOperationURL(location);
  if (path === undefined || path.collection !== collection)
    throw new DifferenceError(
      `${failures[collection]}: ${JSON.stringify(scrub(location).slice(0, MAX_QUOTE))}`,
    );
  return { state: 'in-progress', id: path.id, operationURL: operationURL(path) };
}

/**
 * The result of a deletion that was answered with success. A 200 with a page of a proxy is an error: it does not show that
 * Service Manager has deleted anything.
 */
export function deletionOf(
  answer: Answer,
  collection: OperationPath['collection'],
  scrub: (text: string) => string,
): Deletion {
  if (answer.status === 202) return acceptedOperation(answer, collection, scrub);
  if (answer.text !== '') bodyOf(answer);
  return { state: 'gone' };
}

/** The result of a call, or `absent` for an error of these classes. */
export async function notFoundAs<T, A>(
  absent: A,
  call: Promise<T>,
  classes: readonly ServiceManagerErrorClass[] = ['not-found'],
): Promise<T | A> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ServiceManagerError && classes.includes(error.class)) return absent;
    throw error;
  }
}

/** Length of an ID, which is a UUID. */
const MAX_ID = 512;

/** Encoding makes an ID one segment of a path, except for an empty ID, `.` and `..`. */
export function assertID(id: string, doing: string): void {
  if (id.length <= MAX_ID && !['', '.', '..'].includes(id) && id.isWellFormed()) return;
  throw new ProviderError('terminal', `cannot ${doing}: ${JSON.stringify(id.slice(0, 50))} cannot be an ID`);
}
