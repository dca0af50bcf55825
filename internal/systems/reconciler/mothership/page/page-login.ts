/**
 * Login of a browser by the authorization code flow with PKCE (RFC 7636), without a client secret. The ID token becomes a
 * cookie that scripts cannot read, and is checked like any bearer token at each request. The server keeps nothing.
 */
import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  customFetch,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  None,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { type Logger, messageOf } from '../../../../framework/base/index.ts';

import type { Issuer } from '../api/login/login.ts';
import { cookieHeader, cookieIn, LOGIN, MAX_COOKIE, SESSION } from './page-cookie.ts';

export interface PageLoginOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly requests: Pick<Issuer, 'send'>;
  /** `scheme://host:port` of the page, as browsers reach it. */
  readonly baseUrl: string;
  readonly log: Logger;
}

export interface PageLogin {
  /** Sends the browser to the issuer. */
  begin(): Promise<Response>;
  /** What the issuer sends the browser back to. */
  finish(url: URL, cookie: string | undefined): Promise<Response>;
  /** Forgets the session. */
  end(): Response;
}

export const CALLBACK = '/ui/callback';
const SCOPES = ['openid', 'profile', 'email', 'groups'];
/** Time for a login, in seconds. */
const LOGIN_S = 600;

/**
 * Issuers refuse a login with a scope that they do not have. `groups` is none of the standard: those without it give the claim by their own
 * settings. One that lists no scopes says nothing.
 */
const scopeFor = ({ scopes_supported: supported = SCOPES }: AuthorizationServer): string =>
  SCOPES.filter((scope) => scope === 'openid' || supported.includes(scope)).join(' ');

export function createPageLogin({ issuer, clientId, requests, baseUrl, log }: PageLoginOptions): PageLogin {
  const client = { client_id: clientId, token_endpoint_auth_method: 'none' };
  const redirectUri = `${baseUrl}${CALLBACK}`;
  const secure = baseUrl.startsWith('https:');
  const options = {
    [customFetch]: (
      url: string,
      init: { method?: string; headers?: Record<string, string>; body?: unknown },
    ) =>
      requests.send(new URL(url), {
        method: init.method === 'POST' ? 'POST' : 'GET',
        headers: init.headers ?? {},
        ...(init.body === undefined || init.body === null ? {} : { body: String(init.body) }),
      }),
    // The flag of the issuer has http on loopback addresses only.
    [allowInsecureRequests]: issuer.startsWith('http:'),
  };
  let known: AuthorizationServer | undefined;
  const server = async (): Promise<AuthorizationServer> => {
    const url = new URL(issuer);
    known ??= await processDiscoveryResponse(url, await discoveryRequest(url, options));
    return known;
  };
  const loginCookie = (value: string, maxAgeSeconds: number) =>
    cookieHeader(LOGIN, value, { path: '/ui', maxAgeSeconds, secure, sameSite: 'Lax' });
  const sessionCookie = (value: string, maxAgeSeconds: number) =>
    cookieHeader(SESSION, value, { path: '/', maxAgeSeconds, secure, sameSite: 'Strict' });
  const failed = (cause: string): Response => {
    log.info('a login failed', { error: cause });
    return redirect('/ui/?login=failed', [loginCookie('', 0)]);
  };

  return {
    begin: async () => {
      let issuing: AuthorizationServer;
      try {
        issuing = await server();
      } catch (error) {
        return failed(messageOf(error));
      }
      const { authorization_endpoint: endpoint } = issuing;
      if (endpoint === undefined) return failed('the issuer has no authorization endpoint');
      const [state, nonce, verifier] = [
        generateRandomState(),
        generateRandomNonce(),
        generateRandomCodeVerifier(),
      ];
      const url = new URL(endpoint);
      const query = {
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: scopeFor(issuing),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return redirect(url.href, [loginCookie(`${state}.${nonce}.${verifier}`, LOGIN_S)]);
    },
    finish: async (url, cookie) => {
      const [state = '', nonce = '', verifier = ''] = cookieIn(cookie, LOGIN)?.split('.') ?? [];
      if (verifier === '') return failed('it was not begun here, or took too long');
      try {
        const authorization = await server();
        const parameters = validateAuthResponse(authorization, client, url, state);
        const granted = await authorizationCodeGrantRequest(
          authorization,
          client,
          None(),
          parameters,
          redirectUri,
          verifier,
          options,
        );
        const { id_token: token = '', expires_in: expiresIn } = await processAuthorizationCodeResponse(
          authorization,
          client,
          granted,
          { expectedNonce: nonce, requireIdToken: true },
        );
        if (token.length > MAX_COOKIE) return failed(`the ID token has more than ${MAX_COOKIE} characters`);
        // A browser forgets it when it expires; the token itself has its end too.
        return redirect('/ui/', [loginCookie('', 0), sessionCookie(token, expiresIn ?? 3600)]);
      } catch (error) {
        return failed(messageOf(error));
      }
    },
    end: () => redirect('/ui/', [sessionCookie('', 0)]),
  };
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}
