import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

export interface HttpJsonOptions {
  /** An https URL, or an http one together with `socketPath`. */
  readonly url: string;
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Of the body; default `application/json`. */
  readonly contentType?: string;
  /** The media type of the response, such as the Table that kubectl prints. */
  readonly accept?: string;
  readonly socketPath?: string;
  /** Milliseconds until the request fails. Default 10 s. */
  readonly timeoutMs?: number;
  /** PEM of the server's authority, and the client's own certificate and key. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface HttpJsonAnswer {
  readonly status: number;
  /** The parsed body; its text where it is no JSON. */
  readonly body: unknown;
}

/** One request on a connection of its own, so that no connection stays open. */
export async function httpJson({
  url,
  method = 'GET',
  body,
  contentType = 'application/json',
  timeoutMs = 10_000,
  accept = 'application/json',
  ...rest
}: HttpJsonOptions): Promise<HttpJsonAnswer> {
  const send = rest.socketPath === undefined ? httpsRequest : httpRequest;
  const headers = { accept, ...(body === undefined ? {} : { 'content-type': contentType }) };
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(url, { ...rest, method, headers, agent: false, signal }, resolve);
    request.once('error', (error) => {
      reject(signal.aborted ? new Error(`no answer from ${url} within ${timeoutMs} ms`) : error);
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const content = await text(response);
  return { status: response.statusCode ?? 0, body: parse(content) };
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
