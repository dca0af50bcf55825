import type { Middleware } from 'openapi-fetch';
import { parseBoundedJson } from '../../../../framework/base/index.ts';

import {
  type ApiClient,
  type ApiSession,
  contractError,
  fenced,
  isRetryable,
  isRetryableUnsent,
  NoResponseError,
} from '../../../../framework/http/index.ts';
import { errorOfResponse, unexpectedStatus } from '../errors/error-of-response.ts';
import { DifferenceError, type Reader, readerOf } from '../objects/reader.ts';
import type { paths } from '../openapi.gen.ts';
import { originatingIdentity } from '../originating-identity.ts';
import { serializeQuery } from '../query.ts';
import type { CallOptions, WriteOptions } from '../service-manager-client.ts';

export type Client = ApiClient<paths>;

/** Options of each request: bodies are read as text, since the text of credentials is needed. */
export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly parseAs: 'text';
  readonly querySerializer: typeof serializeQuery;
  readonly middleware: Middleware[];
}

/** The result of a request of openapi-fetch with these options. */
export interface Received {
  readonly data?: unknown;
  readonly response: Response;
}

export interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  /** The body as received. */
  readonly text: string;
}

export interface ApiCall<T> {
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

export interface ApiCallsOptions {
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
