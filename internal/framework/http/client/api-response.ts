import { ProviderError } from '../../base/errors/errors.ts';
import { JsonLimitError, type JsonLimits, parseBoundedJson } from '../../base/json/bounded-json.ts';
import { contractError } from '../errors/error-of-response.ts';
import type { HttpResponse } from '../transport/send-request.ts';

export interface ApiResponseOptions {
  readonly route: string;
  readonly jsonLimits: JsonLimits;
}

/**
 * A response that was read completely, with the interface of the global Response. It has no stream, which would take most
 * of the CPU of a call, and accepts any status and header.
 */
export class ApiResponse extends Response {
  override readonly status: number;
  override readonly ok: boolean;
  override readonly headers: Headers;
  /** The response as received. */
  readonly received: HttpResponse;
  override readonly text: () => Promise<string>;
  /** Checks the limits before it parses. @throws `transient` if the body exceeds a limit or is not JSON */
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
 * Sets the length of the body as read: openapi-fetch calls `json` for bodies with a known length, and parses others itself,
 * without limits.
 */
function headersOf({ headers: received, body }: HttpResponse): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received)) {
    // Characters outside of Latin-1 are not valid in headers (RFC 9110, section 5.5).
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
    // The parser's message would quote the body.
    const why = error instanceof JsonLimitError ? `a JSON text ${error.message}` : 'not JSON';
    throw contractError(route, `the body is ${why}`);
  }
}
