import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, SignJWT } from 'jose';

export const CLIENT_ID = 'mothership';

/**
 * An OpenID provider that logs its only user in at once, without a question, by the authorization code flow with PKCE, and grants
 * tokens to OAuth clients.
 */
export interface OidcIssuer {
  readonly url: string;
  /** The claims of the user from now on. */
  setUser(claims: Readonly<Record<string, unknown>>): void;
  /** An OAuth client that gets tokens with these claims for its credentials. */
  addClient(client: OAuthClient): void;
  /** Grants of client credentials so far. */
  grants(): number;
  close(): Promise<void>;
}

export interface OAuthClient {
  readonly id: string;
  readonly secret: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

export interface OidcIssuerOptions {
  /** Default: 127.0.0.1. */
  readonly listen?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** How clients reach it. Default: by its address. */
  readonly url?: string;
  /** PEM, for HTTPS. Default: HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export async function startOidcIssuer(options: OidcIssuerOptions = {}): Promise<OidcIssuer> {
  const { listen = '127.0.0.1', port = 0, tls } = options;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
  let user: Readonly<Record<string, unknown>> = {};
  let url = '';
  const codes = new Map<string, { challenge: string; nonce: string; redirectUri: string }>();

  const clients: OAuthClient[] = [];
  let grants = 0;

  const signed = (claims: Readonly<Record<string, unknown>>) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(url)
      .setAudience(CLIENT_ID)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey);

  /** Of client credentials (RFC 6749, section 4.4), which are in HTTP Basic. */
  const grant = async ({ headers }: IncomingMessage, response: ServerResponse) => {
    const client = clients.find(
      ({ id, secret }) =>
        headers.authorization === `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    );
    response.setHeader('content-type', 'application/json');
    if (client === undefined) {
      response.writeHead(401).end(JSON.stringify({ error: 'invalid_client' }));
      return;
    }
    grants++;
    const access = await signed({ sub: client.id, ...client.claims });
    response.end(JSON.stringify({ access_token: access, token_type: 'Bearer', expires_in: 3600 }));
  };

  const authorize = (query: URLSearchParams, response: ServerResponse) => {
    const redirectUri = query.get('redirect_uri') ?? '';
    const code = randomUUID();
    const isPkce = query.get('code_challenge_method') === 'S256' && query.get('response_type') === 'code';
    if (!isPkce || query.get('client_id') !== CLIENT_ID) {
      response.writeHead(400).end();
      return;
    }
    codes.set(code, {
      challenge: query.get('code_challenge') ?? '',
      nonce: query.get('nonce') ?? '',
      redirectUri,
    });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  };

  const token = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = new URLSearchParams(Buffer.concat(chunks).toString());
    if (form.get('grant_type') === 'client_credentials') return grant(request, response);
    const granted = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    response.setHeader('content-type', 'application/json');
    if (granted?.challenge !== challenge || granted.redirectUri !== form.get('redirect_uri')) {
      response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant' }));
      return;
    }
    const idToken = await signed({ sub: 'user', nonce: granted.nonce, ...user });
    response.end(
      JSON.stringify({ access_token: 'x', token_type: 'Bearer', expires_in: 3600, id_token: idToken }),
    );
  };

  const answer: RequestListener = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://issuer');
    if (pathname === '/authorize') return authorize(searchParams, response);
    if (pathname === '/token') return void token(request, response);
    const documents: Readonly<Record<string, unknown>> = {
      '/.well-known/openid-configuration': {
        issuer: url,
        jwks_uri: `${url}/keys`,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      },
      '/keys': { keys: [jwk] },
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(documents[pathname] ?? {}));
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  await new Promise<void>((done) => server.listen(port, listen, done));
  const scheme = tls === undefined ? 'http' : 'https';
  url = options.url ?? `${scheme}://${listen}:${(server.address() as AddressInfo).port}`;
  return {
    url,
    setUser: (claims) => {
      user = claims;
    },
    addClient: (client) => void clients.push(client),
    grants: () => grants,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
