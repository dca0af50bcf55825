import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { json, tokenError } from '../answer.ts';
import type { Route } from '../contract.ts';
import type { Service } from '../http/receiver.ts';
import type { Client, Store } from '../store.ts';
import type { TokenFormat, TokenMint } from './tokens.ts';

export interface TokenSettings {
  tokenLifetimeSeconds: number;
  tokenFormat: TokenFormat;
  /** The token response has no lifetime. */
  omitTokenExpiry: boolean;
}

export interface TokenServiceOptions {
  readonly store: Store;
  readonly mint: TokenMint;
  readonly settings: () => TokenSettings;
  /** Takes client certificates and nothing else. */
  readonly byCertificate: boolean;
  /** Called for every granted token. */
  readonly onToken?: ((token: string) => void) | undefined;
}

/** The client credentials grant, with a secret in the header or the body, or with a certificate. */
export function createTokenService(options: TokenServiceOptions): Service {
  const { store, mint, settings, byCertificate, onToken } = options;
  return {
    routes: new Set<Route>(['token']),
    identify: ({ message, body }) => ({ clientID: basicCredentials(message)?.id ?? formOf(body).client_id }),
    serve: ({ message, body }, _clientID, expired) => {
      const form = formOf(body);
      const client = byCertificate
        ? clientByCertificate(store, message, form)
        : clientBySecret(store, message, form);
      if (typeof client === 'string') return tokenError(401, 'invalid_client', client);
      const { tokenLifetimeSeconds, tokenFormat, omitTokenExpiry } = settings();
      const now = Date.now();
      const expiresAt = expired ? now - 1000 : now + tokenLifetimeSeconds * 1000;
      const token = mint.mint(client.id, tokenFormat, now, expiresAt);
      store.issueToken(client.id, expiresAt, token);
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
function clientBySecret(store: Store, message: IncomingMessage, form: Form): Client | string {
  const basic = basicCredentials(message);
  if (basic !== undefined && form.client_secret !== undefined) return 'the client proves itself twice';
  const id = basic?.id ?? form.client_id;
  const secret = basic?.secret ?? form.client_secret;
  const client = id === undefined ? undefined : store.client(id);
  if (client?.secret === undefined || client.secret !== secret) return 'Bad credentials';
  return client;
}

function clientByCertificate(store: Store, { socket }: IncomingMessage, form: Form): Client | string {
  if (!(socket instanceof TLSSocket) || !socket.authorized)
    return 'the client certificate is missing or not trusted';
  const client = form.client_id === undefined ? undefined : store.client(form.client_id);
  const fingerprint = socket.getPeerCertificate().fingerprint256?.replaceAll(':', '').toLowerCase();
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
