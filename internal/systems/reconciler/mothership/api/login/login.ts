import { type Clock, withDeadline } from '../../../../../framework/base/index.ts';
import { openConnections } from '../../../../../framework/http/transport/connections.ts';
import { sendRequest } from '../../../../../framework/http/transport/send-request.ts';
import type { TrustedCertificatesSource } from '../../../../../framework/process/server/server-tls.ts';
import { ApiError, type Caller, everyRole } from '../api-request.ts';

/** What a request says about its client. */
interface Identification {
  /** The header `authorization`. */
  readonly authorization: string | undefined;
  /** The header `x-jwt`, in which a mesh that authenticates passes on the claims of the user. */
  readonly xJwt: string | undefined;
}

/** Finds out who sends a request. */
export interface Login {
  /** @throws ApiError 401 */
  identify(request: Identification, signal: AbortSignal): Promise<Caller>;
}

/**
 * Every client has every role. A name is believed only behind a mesh that authenticates (`--no-login`): anything on this
 * machine could write any name into the header.
 */
export function openLogin({ believesXJwt }: { readonly believesXJwt: boolean }): Login {
  return {
    identify: async ({ xJwt }) => ({
      user: believesXJwt && xJwt !== undefined ? userIn(xJwt) : undefined,
      roles: everyRole,
    }),
  };
}

/** The payload of a JWT alone: base64url without padding. */
function userIn(xJwt: string): string | undefined {
  // As the Go program answers it.
  const invalid = () =>
    new ApiError(500, 'cannot read the header X-Jwt: want JSON as base64url without padding');
  if (!/^[\w-]+$/.test(xJwt)) throw invalid();
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(xJwt, 'base64url').toString('utf8'));
  } catch {
    throw invalid();
  }
  if (typeof claims !== 'object' || claims === null) throw invalid();
  return 'sub' in claims && typeof claims.sub === 'string' && claims.sub !== '' ? claims.sub : undefined;
}

interface IssuerOptions {
  readonly clock: Clock;
  /** Default: none besides those of Node. */
  readonly trustedCertificates?: TrustedCertificatesSource;
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
    trustedCertificates: [],
    env,
    perOrigin: MAX_CONNECTIONS,
    connectTimeoutMs: TIMEOUT_MS,
    keepAliveMs: 60_000,
  });
  return {
    send: async (url, { method = 'GET', headers = {}, body } = {}) => {
      connections.changeTrust((await trustedCertificates?.()) ?? []);
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
