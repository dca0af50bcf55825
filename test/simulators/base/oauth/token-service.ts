import type { IncomingMessage } from 'node:http';
import { json, tokenError } from '../answer.ts';
import type { Service } from '../http/receiver.ts';
import { certificateOf } from './client-certificate.ts';
import type { OAuthClient, OAuthClients } from './clients.ts';
import type { TokenFormat, TokenMint } from './tokens.ts';

export interface TokenSettings {
  tokenLifetimeSeconds: number;
  tokenFormat: TokenFormat;
  /** The token response has no lifetime. */
  omitTokenExpiry: boolean;
}

export interface TokenServiceOptions<R extends string> {
  /** The route of the grant. */
  readonly route: R;
  readonly clients: OAuthClients<OAuthClient>;
  readonly mint: TokenMint;
  readonly settings: () => TokenSettings;
  /** How clients prove themselves; `either`: with a certificate if there is no secret. */
  readonly proof: 'secret' | 'certificate' | 'either';
  /** Called for every granted token. */
  readonly onToken?: ((token: string) => void) | undefined;
}

/** The client credentials grant, with a secret in the header or the body, or with a certificate. */
export function createTokenService<R extends string>(options: TokenServiceOptions<R>): Service<R> {
  const { route, clients, mint, settings, proof, onToken } = options;
  return {
    routes: new Set([route]),
    grantsTokens: true,
    identify: ({ message, body }) => ({ clientID: basicCredentials(message)?.id ?? formOf(body).client_id }),
    serve: ({ message, body }, _clientID, expired) => {
      const form = formOf(body);
      const hasSecret = form.client_secret !== undefined || basicCredentials(message) !== undefined;
      const byCertificate = proof === 'certificate' || (proof === 'either' && !hasSecret);
      const client = byCertificate
        ? clientByCertificate(clients, message, form)
        : clientBySecret(clients, message, form);
      if (typeof client === 'string') return tokenError(401, 'invalid_client', client);
      const { tokenLifetimeSeconds, tokenFormat, omitTokenExpiry } = settings();
      const now = Date.now();
      const expiresAt = expired ? now - 1000 : now + tokenLifetimeSeconds * 1000;
      const token = mint.mint(client.id, tokenFormat, now, expiresAt);
      clients.issueToken(client.id, expiresAt, token);
      onToken?.(token);
      const expiry = omitTokenExpiry ? {} : { expires_in: tokenLifetimeSeconds };
      return json(200, { access_token: token, token_type: 'bearer', ...expiry, scope: 'uaa.resource' });
    },
  };
}

type Form = Readonly<Record<string, string>>;

function formOf(body: unknown): Form {
  const entries = Object.entries(typeof body === 'object' && body !== null ? body : {});
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** The client, or the reason of the refusal. */
function clientBySecret(
  clients: OAuthClients<OAuthClient>,
  message: IncomingMessage,
  form: Form,
): OAuthClient | string {
  const basic = basicCredentials(message);
  if (basic !== undefined && form.client_secret !== undefined) return 'the client proves itself twice';
  const id = basic?.id ?? form.client_id;
  const secret = basic?.secret ?? form.client_secret;
  const client = id === undefined ? undefined : clients.client(id);
  if (client?.secret === undefined || client.secret !== secret) return 'Bad credentials';
  return client;
}

function clientByCertificate(
  clients: OAuthClients<OAuthClient>,
  message: IncomingMessage,
  form: Form,
): OAuthClient | string {
  const fingerprint = certificateOf(message);
  if (fingerprint === undefined) return 'the client certificate is missing or not trusted';
  const client = form.client_id === undefined ? undefined : clients.client(form.client_id);
  if (client?.certificate === undefined || client.certificate !== fingerprint)
    return 'the certificate is another client’s';
  return client;
}

/** As UAA reads them: literally, unless a header marks them as form-encoded. */
function basicCredentials({ headers }: IncomingMessage): { id: string; secret: string } | undefined {
  const [scheme, value] = headers.authorization?.split(' ') ?? [];
  if (scheme?.toLowerCase() !== 'basic' || value === undefined) return undefined;
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const encoded = headers['x-cf-encoded-credentials'] === 'true';
  const read = (part: string) => (encoded ? decodeURIComponent(part.replaceAll('+', ' ')) : part);
  return colon < 0 ? undefined : { id: read(text.slice(0, colon)), secret: read(text.slice(colon + 1)) };
}
