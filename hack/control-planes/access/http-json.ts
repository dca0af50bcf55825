import { request as httpRequest, type IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

export interface HttpJsonOptions {
  /** An http or https URL; with `socketPath` an http one. */
  readonly url: string;
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly text?: string;
  /** Of the body; default `application/json`. */
  readonly contentType?: string;
  /** The media type of the response, such as the Table that kubectl prints. */
  readonly accept?: string;
  readonly socketPath?: string;
  /** Milliseconds until the request fails. Default 90 s: an API server under load has taken more than 30 s. */
  readonly timeoutMs?: number;
  /** PEM of the server's authority. */
  readonly ca?: string;
  /** A bearer token. */
  readonly token?: string;
  /** Keeps connections of https URLs, with the credentials of its TLS. Default: each request has a connection of its own. */
  readonly agent?: Agent;
}

export interface HttpJsonAnswer {
  readonly status: number;
  /** The parsed body; its text where it is no JSON. */
  readonly body: unknown;
}

/** Sends one request. No status throws. */
export async function httpJson({
  url,
  method = 'GET',
  body,
  text: content = body === undefined ? undefined : JSON.stringify(body),
  contentType = 'application/json',
  timeoutMs = 90_000,
  accept = 'application/json',
  token,
  agent,
  ...rest
}: HttpJsonOptions): Promise<HttpJsonAnswer> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const headers = {
    accept,
    ...(content === undefined ? {} : { 'content-type': contentType }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const signal = AbortSignal.timeout(timeoutMs);
  const attempt = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const request = send(url, { ...rest, method, headers, agent: agent ?? false, signal }, resolve);
      request.once('error', (error) => {
        if (signal.aborted) reject(new Error(`no answer from ${url} within ${timeoutMs} ms`));
        // The server closed a kept connection at the same time; see `reusedSocket` in Node's documentation.
        else if (request.reusedSocket) attempt().then(resolve, reject);
        else reject(error);
      });
      request.end(content);
    });
  const response = await attempt();
  return { status: response.statusCode ?? 0, body: parse(await text(response)) };
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
