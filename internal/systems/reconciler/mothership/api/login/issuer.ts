import { type Clock, withDeadline } from '../../../../../framework/base/index.ts';

import { openConnections } from '../../../../../framework/http/transport/connections.ts';
import { sendRequest } from '../../../../../framework/http/transport/send-request.ts';

export interface IssuerOptions {
  readonly clock: Clock;
  /** PEM certificates to trust besides those of Node. */
  readonly trustedCertificates: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Requests to an OpenID provider: few, short, and bounded. */
export interface Issuer {
  /** @throws if there is no complete response */
  send(
    url: URL,
    request?: {
      readonly method?: 'GET' | 'POST';
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    },
  ): Promise<Response>;
  close(): Promise<void>;
}

export const MAX_ISSUER_BYTES = 256 * 1024;
const TIMEOUT_MS = 5000;
const MAX_CONNECTIONS = 4;

export function openIssuer({ clock, trustedCertificates, env }: IssuerOptions): Issuer {
  const connections = openConnections({
    // The issuer is configuration.
    allowPrivateEndpoints: true,
    trustedCertificates,
    env,
    perOrigin: MAX_CONNECTIONS,
    connectTimeoutMs: TIMEOUT_MS,
    keepAliveMs: 60_000,
  });
  return {
    send: async (url, { method = 'GET', headers = {}, body } = {}) => {
      using deadline = withDeadline(clock, TIMEOUT_MS, `${method} ${url.host}`);
      const sent = await sendRequest(
        connections.dispatcherFor(url),
        { method, url, headers: { accept: 'application/json', ...headers }, ...(body ? { body } : {}) },
        MAX_ISSUER_BYTES,
        deadline.signal,
      );
      if (!('response' in sent)) throw sent.noResponse.error;
      const { status, headers: received, body: text } = sent.response;
      const contentType = received['content-type'] ?? 'application/json';
      return new Response(status === 204 ? null : text, { status, headers: { 'content-type': contentType } });
    },
    close: () => connections.close(),
  };
}
