import { type ErrorKind, ProviderError, ThrottledError } from '../../base/errors/errors.ts';
import { parseBoundedJson } from '../../base/json/json-text.ts';
import { isObject } from '../../base/json/json-value.ts';
import { cutText } from '../../base/text/text.ts';
import { requestedPause } from '../retry/quota-headers.ts';
import type { HttpResponse } from '../transport/send-request.ts';
import { ResponseError } from './errors.ts';

/** For a rate limit without the time to wait. */
const DEFAULT_THROTTLE_MS = 5000;
/** Length of the API's text in messages, in characters. */
const MAX_QUOTE = 200;

/** A body that exceeds these limits does not count as JSON. Its length is limited when it is read. */
const ERROR_LIMITS = { maxLength: Number.POSITIVE_INFINITY, maxDepth: 16, maxValues: 1000 };

/** The error of a JSON body, by the forms that `errorOfResponse` reads. */
export interface ResponseText {
  /** From `error.code` or `code`; absent if it is no text. The `error` of RFC 6749 is none. */
  readonly code: string | undefined;
  readonly message: string | undefined;
}

export interface ResponseContext {
  readonly route: string;
  /** Masks the secrets of the client and texts with the form of a credential, and limits the length. */
  readonly scrub: (text: string) => string;
  readonly nowMs: number;
  /**
   * Whether a 404 with this JSON object has the form that the contract of the API states for an unknown resource. Any other 404
   * may be of a gateway and proves nothing. Default: any JSON object.
   */
  readonly isNotFound?:
    | ((text: ResponseText, body: Readonly<Record<string, unknown>>) => boolean)
    | undefined;
}

/**
 * The error for a response other than success: ThrottledError for 429, for a 403 of a rate limit, and for 503 with Retry-After; else
 * ResponseError. Its message begins with the route.
 */
export function errorOfResponse(
  response: HttpResponse,
  { route, scrub, nowMs, isNotFound = () => true }: ResponseContext,
): ProviderError {
  const { status } = response;
  const said = ownText(response);
  // Scrubbed first: a secret across a cut would not be found.
  const clean = (text: string) => shorten(scrub(text));
  const quote = said.text === undefined ? '' : `: ${clean(said.text)}`;
  const code = said.code === undefined ? undefined : clean(said.code);
  const message = `${route} answered ${status}${remarkOn(response, { scrub, isNotFound })}${quote}`;
  const pauseMs = requestedPause(response, nowMs, DEFAULT_THROTTLE_MS);
  if (pauseMs !== undefined) return new ThrottledError(message, pauseMs);
  return new ResponseError(message, { kind: kindOf(response, isNotFound), status, route, code });
}

/** The error for a successful response whose body does not match the contract. */
export function contractError(route: string, difference: string): ProviderError {
  return new ProviderError('transient', `${route} answered outside of its contract: ${difference}`);
}

type NotFoundForm = NonNullable<ResponseContext['isNotFound']>;

/**
 * Why a 404 is not of the API, which was not reached then; undefined if it is. If any 404 counted as not found, an outage would
 * confirm deletions: gateways respond with JSON objects of their own.
 */
function foreignReason({ headers, body }: HttpResponse, isNotFound: NotFoundForm): string | undefined {
  if (headers['x-cf-routererror'] !== undefined) return 'a router has no route to it';
  const object = objectIn(body);
  if (object === undefined) return 'the body is not its JSON';
  return isNotFound(contractText(object), object) ? undefined : 'the body is not an error of its contract';
}

function kindOf(response: HttpResponse, isNotFound: NotFoundForm): ErrorKind {
  const { status } = response;
  if (status === 401 || status === 403) return 'auth';
  return status === 404 && foreignReason(response, isNotFound) === undefined ? 'not-found' : 'transient';
}

function remarkOn(
  response: HttpResponse,
  { scrub, isNotFound }: { readonly scrub: ResponseContext['scrub']; readonly isNotFound: NotFoundForm },
): string {
  const { status, headers } = response;
  if (status >= 300 && status < 400)
    return `, a redirect${targetOf(headers.location, scrub)}, which is not followed`;
  const foreign = status === 404 ? foreignReason(response, isNotFound) : undefined;
  return foreign === undefined ? '' : ` (not by the API: ${foreign})`;
}

function contractText(object: Readonly<Record<string, unknown>>): ResponseText {
  const { code, message } = isObject(object.error) ? object.error : object;
  return {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : undefined,
  };
}

/** The host only: path and query of a redirect may contain credentials. */
function targetOf(location = '', scrub: ResponseContext['scrub']): string {
  const url = URL.parse(scrub(location));
  return url === null ? '' : ` to ${url.host}`;
}

/**
 * The API's error text: from `{error: {code, message}}`, `{code, message}`, the first of `{errors: [...]}`, the forms of RFC 6749 and
 * RFC 9457, or plain text.
 */
function ownText({ headers, body }: HttpResponse): { code?: string | undefined; text?: string | undefined } {
  const object = objectIn(body);
  if (object === undefined) {
    const plain = headers['content-type']?.startsWith('text/plain') && body.trim() !== '';
    return plain ? { text: body } : {};
  }
  const { errors } = object;
  const [first]: readonly unknown[] = Array.isArray(errors) ? errors : [];
  const inner = [object.error, first].find(isObject) ?? object;
  const code = wordOf(inner.code) ?? wordOf(object.error);
  const text =
    wordOf(inner.message) ??
    wordOf(object.error_description) ??
    wordOf(inner.detail) ??
    wordOf(first) ??
    wordOf(inner.title);
  return { code, text: code !== undefined && text !== undefined ? `${code}: ${text}` : (text ?? code) };
}

function wordOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function shorten(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a foreign text must not steer a terminal
  return cutText(text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim(), MAX_QUOTE);
}

/** Whether the body is an object of JSON, as those of APIs are, and not a page. */
export const hasJsonObject = ({ body }: Pick<HttpResponse, 'body'>): boolean => objectIn(body) !== undefined;

function objectIn(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = parseBoundedJson(body, ERROR_LIMITS);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
