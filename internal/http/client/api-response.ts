import { ProviderError } from '../../base/errors/errors.ts';
import { JsonLimitError, type JsonLimits, parseBoundedJson } from '../../base/json/bounded-json.ts';
import { contractError } from '../errors/error-of-response.ts';
import type { HttpResponse } from '../transport/send-request.ts';

export interface ApiResponseOptions {
  readonly route: string;
  readonly jsonLimits: JsonLimits;
}

/**
 * A response that has been read, with the interface of the global Response. It has no stream, which would take most of
 * the CPU of a call, and takes any status and header that a server may send.
 */
export class ApiResponse extends Response {
  override readonly status: number;
  override readonly ok: boolean;
  override readonly headers: Headers;
  /** As it arrived. */
  readonly received: HttpResponse;
  override readonly text: () => Promise<string>;
  /** Within the limits, which hold before the text is parsed. @throws `transient` for anything else */
  override readonly json: () => Promise<unknown>;

  constructor(received: HttpResponse, { route, jsonLimits }: ApiResponseOptions) {
    super(null);
    const { status, body } = received;
    this.received = received;
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = headersOf(received);
    this.text = async () => body;
    this.json = async () => parseJson(body, route, jsonLimits);
  }
}

/** The response that middleware gets. */
export function apiResponse(response: unknown): ApiResponse {
  if (response instanceof ApiResponse) return response;
  throw new ProviderError('bug', 'the response is not one of createApiClient');
}

/**
 * The length is that of the body as read: openapi-fetch parses bodies of unknown length by itself, without limits, and
 * asks `json` for all others.
 */
function headersOf({ headers: received, body }: HttpResponse): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    // Bytes outside of Latin-1 are no header text (RFC 9110, section 5.5).
    if (HEADER_VALUE.test(value)) headers.set(name, value);
  }
  headers.delete('transfer-encoding');
  headers.set('content-length', String(Buffer.byteLength(body)));
  return headers;
}

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function parseJson(body: string, route: string, limits: JsonLimits): unknown {
  try {
    return parseBoundedJson(body, limits);
  } catch (error) {
    // A parser's own message would quote the body.
    const why = error instanceof JsonLimitError ? `a JSON text ${error.message}` : 'not JSON';
    throw contractError(route, `the body is ${why}`);
  }
}
