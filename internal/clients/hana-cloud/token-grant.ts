import {
  type ClientAuth,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
  TlsClientAuth,
} from 'oauth4webapi';
import type { Dispatcher } from 'undici';
import { messageOf, type ProviderError } from '../../base/errors.ts';
import type { HttpResponse } from '../../http/transport/send-request.ts';
import { type AnswerContext, contractError, errorOfAnswer } from './answer-error.ts';
import type { Caller } from './caller.ts';
import type { AdminCredentials } from './credentials.ts';
import { HanaApiError } from './errors.ts';
import type { Grant } from './token-source.ts';

const tokenRoute = 'POST /oauth/token';

/** Of a token, in characters. XSUAA's have 1000 to 4000; servers take no header of more than 16 KiB. */
const MAX_TOKEN = 16 * 1024;
/** Of the answer around it. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface GrantOptions {
  readonly call: Caller;
  readonly dispatcher: () => Dispatcher;
  readonly credentials: AdminCredentials;
  readonly answerContext: (route: string) => AnswerContext;
}

/**
 * One client credentials grant (RFC 6749, section 4.4), with a client secret or with the certificate that the
 * dispatcher's connections carry (RFC 8705). Not repeated here.
 *
 * @throws what `call` throws; kind `auth` if the endpoint refuses the credentials
 */
export async function grantToken(options: GrantOptions, signal: AbortSignal): Promise<Grant> {
  const { call, dispatcher, credentials, answerContext } = options;
  const url = new URL(credentials.tokenUrl);
  const server = { issuer: url.origin, token_endpoint: url.href };
  const client = { client_id: credentials.clientId };
  let refused: ProviderError | undefined;
  const fetch = async (_url: string, init: { headers: Record<string, string>; body: unknown }) => {
    const request = { method: 'POST', url, headers: init.headers, body: String(init.body) } as const;
    const answer = await call(
      { route: tokenRoute, request, dispatcher, maxAnswerBytes: MAX_ANSWER_BYTES },
      signal,
    );
    refused = answer.status === 200 ? undefined : refusalOf(answer, answerContext(tokenRoute));
    if (refused !== undefined) throw refused;
    // Whether it is JSON shows when it is read; some servers forget to say so.
    return new Response(answer.body, { headers: { 'content-type': 'application/json' } });
  };
  const response = await clientCredentialsGrantRequest(
    server,
    client,
    authenticationOf(credentials),
    {},
    {
      [customFetch]: fetch,
    },
  );
  try {
    const { access_token, expires_in } = await processClientCredentialsResponse(server, client, response);
    if (access_token.length > MAX_TOKEN) throw new Error(`a token of more than ${MAX_TOKEN} characters`);
    return { token: access_token, ...(expires_in === undefined ? {} : { expiresInSeconds: expires_in }) };
  } catch (error) {
    // Only the text: the cause holds the body, and with it a token.
    throw contractError(tokenRoute, answerContext(tokenRoute).scrub(messageOf(error)));
  }
}

/** Of a token endpoint, any 4xx but "later" and "not here" says that it does not take the credentials. */
function refusalOf(answer: HttpResponse, context: AnswerContext): ProviderError {
  const error = errorOfAnswer(answer, context);
  if (!(error instanceof HanaApiError) || ![400, 401, 403].includes(error.status)) return error;
  return new HanaApiError(error.message, { ...error, kind: 'auth' });
}

function authenticationOf({ clientId, authentication }: AdminCredentials): ClientAuth {
  if (authentication.method === 'x509') return TlsClientAuth();
  const { clientSecret } = authentication;
  return isUnambiguous(clientId, clientSecret) ? literalBasic(clientSecret) : ClientSecretPost(clientSecret);
}

/**
 * RFC 6749 wants ID and secret form-encoded before they go into HTTP Basic; XSUAA, as Cloud Foundry's UAA, takes
 * them literally unless told otherwise, and a client ID there always has characters that the encoding changes
 * (`sb-x!b1|y!b2`). So they are sent literally where both readings give the same, and in the body otherwise.
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
