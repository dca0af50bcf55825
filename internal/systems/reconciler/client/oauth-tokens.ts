/** Tokens of an OAuth client for the API of a mothership (RFC 6749, section 4.4). They are kept in memory only. */
import type { Middleware } from 'openapi-fetch';
import { createScrubber, type Deps, wrap } from '../../../framework/base/index.ts';
import { bearerToken } from '../../../framework/http/client/bearer-token.ts';
import type { HttpClient } from '../../../framework/http/client/http-client.ts';
import type { ApiCredentials } from '../../../framework/http/index.ts';
import { createCredentialsIDs, secretsOf } from '../../../framework/http/oauth/api-credentials.ts';
import { grantToken } from '../../../framework/http/oauth/client-credentials-grant.ts';
import { createTokenSource, type TokenSource } from '../../../framework/http/oauth/token-source.ts';
import type { Connections } from '../../../framework/http/transport/connections.ts';

/** Requested with a token. An absent one is left to the issuer. */
export interface TokenParameters {
  readonly scope?: string;
  readonly audience?: string;
}

export interface OAuthAccess {
  readonly credentials: ApiCredentials;
  readonly parameters?: TokenParameters;
  readonly tokens: MothershipTokens;
}

/** The tokens of a process, by a keyed hash of the credentials. */
export interface MothershipTokens extends Pick<TokenSource, 'token' | 'drop' | 'clear'> {
  idOf(access: Omit<OAuthAccess, 'tokens'>): string;
}

/** Memory for about a thousand tokens of the usual 1.5 KiB. */
const MAX_BYTES = 4 * 1024 * 1024;

export function createMothershipTokens(deps: Pick<Deps, 'clock' | 'random'>): MothershipTokens {
  const { idOf } = createCredentialsIDs();
  return {
    ...createTokenSource({ ...deps, maxBytes: MAX_BYTES }),
    idOf: ({ credentials, parameters: { scope = '', audience = '' } = {} }) =>
      JSON.stringify([idOf(credentials), scope, audience]),
  };
}

export interface OAuthTokensOptions extends OAuthAccess, Pick<Deps, 'clock'> {
  readonly http: HttpClient;
  readonly connections: Connections;
  /** Called with each token before it is sent: responses may quote it. */
  readonly mask: (token: string) => void;
}

/** Middleware that authorizes requests. Errors of the token endpoint are those of `grantToken`. */
export function oauthTokens(options: OAuthTokensOptions): Middleware {
  const { clock, connections, credentials, http, mask, parameters, tokens } = options;
  const id = tokens.idOf(options);
  const scrub = createScrubber(secretsOf(credentials));
  const grant = async (signal: AbortSignal) => {
    try {
      return await grantToken(
        {
          http,
          credentials,
          dispatcher: () => connections.dispatcherFor(new URL(credentials.tokenUrl)),
          contextOf: (route) => ({ route, scrub, nowMs: clock.now() }),
          secretMethod: 'client_secret_basic',
          parameters: { ...parameters },
        },
        signal,
      );
    } catch (error) {
      throw wrap(error, `cannot get a token from ${new URL(credentials.tokenUrl).host}`);
    }
  };
  return bearerToken({
    token: async (signal) => {
      const token = await tokens.token(id, grant, signal);
      mask(token);
      return token;
    },
    onRefused: (token) => tokens.drop(id, token),
  });
}
