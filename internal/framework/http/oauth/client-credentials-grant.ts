import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
  TlsClientAuth,
} from 'oauth4webapi';
import type { Dispatcher } from 'undici';
import { messageOf, type ProviderError } from '../../base/errors/errors.ts';
import { isObject } from '../../base/json/json-value.ts';
import type { HttpClient } from '../client/http-client.ts';
import { contractError, errorOfResponse, type ResponseContext } from '../errors/error-of-response.ts';
import { ResponseError } from '../errors/errors.ts';
import type { HttpResponse } from '../transport/send-request.ts';
import type { ApiCredentials } from './api-credentials.ts';
import type { Grant } from './token-source.ts';

/** One route for all token endpoints, to limit the label values of metrics. */
const tokenRoute = 'POST /oauth/token';

/** In characters. Tokens of XSUAA have 1000 to 4000; servers accept no header of more than 16 KiB. */
const MAX_TOKEN = 16 * 1024;
/** Visible ASCII: the characters of a bearer token (RFC 6750, section 2.1), and more that are valid in a header. */
const HEADER_TEXT = /^[\x21-\x7e]+$/;
/** Limit of the token response. */
const MAX_RESPONSE_BYTES = 64 * 1024;

export interface GrantOptions {
  readonly http: HttpClient;
  readonly dispatcher: () => Dispatcher;
  readonly credentials: ApiCredentials;
  readonly contextOf: (route: string) => ResponseContext;
  /** How a client secret is sent. */
  readonly secretMethod: ClientSecretMethod;
  /** Further parameters of the request, e.g. `scope`. Default: none. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * `client_secret_post`: in the body. `client_secret_basic`: in the header, unless its encoding is ambiguous (RFC 6749,
 * section 2.3.1).
 */
export type ClientSecretMethod = 'client_secret_basic' | 'client_secret_post';

/**
 * One client credentials grant (RFC 6749, section 4.4), with a client secret or with the certificate that the
 * dispatcher's connections use (RFC 8705). Without retries.
 *
 * @throws the errors of `http`; kind `auth` if the endpoint refuses the credentials
 */
export async function grantToken(options: GrantOptions, signal: AbortSignal): Promise<Grant> {
  const { http, dispatcher, credentials, contextOf, secretMethod, parameters = {} } = options;
  const url = new URL(credentials.tokenUrl);
  const server = { issuer: url.origin, token_endpoint: url.href };
  const client = { client_id: credentials.clientId };
  const fetch = async (_url: string, init: { headers: Record<string, string>; body: unknown }) => {
    const request = { method: 'POST', url, headers: init.headers, body: String(init.body) } as const;
    const response = await http.send(
      { route: tokenRoute, request, dispatcher, maxResponseBytes: MAX_RESPONSE_BYTES },
      signal,
    );
    if (response.status !== 200) throw refusalOf(response, contextOf(tokenRoute));
    // Some servers omit the content type. The body is checked when it is parsed.
    return new Response(usedMembers(response.body), { headers: { 'content-type': 'application/json' } });
  };
  const authentication = authenticationOf(credentials, secretMethod);
  // http is refused before, unless private endpoints are allowed.
  const requestOptions = { [customFetch]: fetch, [allowInsecureRequests]: url.protocol === 'http:' };
  const granted = await clientCredentialsGrantRequest(
    server,
    client,
    authentication,
    { ...parameters },
    requestOptions,
  );
  try {
    const { access_token, expires_in } = await processClientCredentialsResponse(server, client, granted);
    if (access_token.length > MAX_TOKEN) throw new Error(`a token of more than ${MAX_TOKEN} characters`);
    if (!HEADER_TEXT.test(access_token)) throw new Error('a token with characters that no header can hold');
    return { token: access_token, ...(expires_in === undefined ? {} : { expiresInSeconds: expires_in }) };
  } catch (error) {
    // Without the cause, which contains the body with the token.
    throw contractError(tokenRoute, contextOf(tokenRoute).scrub(messageOf(error)));
  }
}

/**
 * The response with the members that are used. Servers send null or an empty text for others that have no value, and the ID tokens of
 * issuers below their host, which are no reasons to refuse the token.
 */
function usedMembers(text: string): string {
  let response: unknown;
  try {
    response = JSON.parse(text);
  } catch {
    return text;
  }
  if (!isObject(response)) return text;
  const { access_token, token_type, expires_in } = response;
  return JSON.stringify({
    access_token,
    // Apigee's name of the type.
    token_type: token_type === 'BearerToken' ? 'Bearer' : token_type,
    expires_in: expires_in ?? undefined,
  });
}

/** An error code of RFC 6749, section 5.2, of which gateways have none: `invalid_client`. */
const CODE = /^[a-z]+(_[a-z]+)+$/;

/** A 404 of a token endpoint is transient: the endpoint is not available. A 400 refuses the credentials if it says so. */
function refusalOf(response: HttpResponse, context: ResponseContext): ProviderError {
  const error = errorOfResponse(response, context);
  if (!(error instanceof ResponseError)) return error;
  const isRefused = error.status === 400 ? CODE.test(error.code ?? '') : [401, 403].includes(error.status);
  const kind = isRefused ? 'auth' : 'transient';
  return new ResponseError(error.message, { ...error, kind });
}

function authenticationOf(
  { clientId, authentication }: ApiCredentials,
  secretMethod: ClientSecretMethod,
): ClientAuth {
  if (authentication.method === 'x509') return TlsClientAuth();
  const { clientSecret } = authentication;
  const inHeader = secretMethod === 'client_secret_basic' && isUnambiguous(clientId, clientSecret);
  return inHeader ? literalBasic(clientSecret) : ClientSecretPost(clientSecret);
}

/**
 * RFC 6749 requires form encoding of ID and secret in HTTP Basic. XSUAA, like the UAA of Cloud Foundry, does not decode
 * them, and its client IDs contain characters that the encoding changes (`sb-x!b1|y!b2`). So they are sent in HTTP Basic,
 * not encoded, if decoding does not change them, and in the body otherwise.
 */
function isUnambiguous(clientId: string, clientSecret: string): boolean {
  return (
    /^[\x20-\x7e]*$/.test(clientId + clientSecret) &&
    !/[%+]/.test(clientId + clientSecret) &&
    !clientId.includes(':')
  );
}

function literalBasic(clientSecret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    headers.set('authorization', `Basic ${btoa(`${client.client_id}:${clientSecret}`)}`);
  };
}
