import { createHash, randomBytes } from 'node:crypto';

/** An OAuth2 client, as a binding creates one. */
export interface OAuthClient {
  readonly id: string;
  /** Of a client that proves itself with a secret. */
  readonly secret?: string;
  /** SHA-256 of the certificate (DER, hex), for a client that has one. */
  readonly certificate?: string;
}

/** Clients and their tokens. */
export interface OAuthClients<C extends OAuthClient> {
  addClient(client: C): void;
  client(id: string): C | undefined;
  /** Ends the client and all of its tokens. */
  removeClient(id: string): void;
  issueToken(clientID: string, expiresAt: number, token: string): void;
  /** The client of a valid token, with its number, or why there is none. */
  clientOfToken(token: string, now: number): { client: C; number: number } | { refused: string };
  /** All tokens, or one client's. */
  revokeTokens(clientID?: string): void;
  /** Tokens ever issued to one client, or to all. */
  tokensIssued(clientID?: string): number;
  /** Forgets tokens; clients stay. */
  clearTokens(): void;
}

interface TokenRecord {
  /** Of all that were ever issued, from 1 on. */
  readonly number: number;
  readonly clientID: string;
  readonly expiresAt: number;
  revoked: boolean;
}

export function createOAuthClients<C extends OAuthClient>(): OAuthClients<C> {
  const clients = new Map<string, C>();
  const tokens = new Map<string, TokenRecord>();
  let issued = 0;
  return {
    addClient: (client) => {
      clients.set(client.id, client);
    },
    client: (id) => clients.get(id),
    removeClient: (id) => {
      clients.delete(id);
    },
    issueToken: (clientID, expiresAt, token) => {
      tokens.set(digest(token), { number: ++issued, clientID, expiresAt, revoked: false });
    },
    clientOfToken: (token, now) => {
      const record = tokens.get(digest(token));
      if (record === undefined) return { refused: 'the token is unknown' };
      if (record.revoked) return { refused: 'the token was revoked' };
      if (record.expiresAt <= now) return { refused: 'the token has expired' };
      const client = clients.get(record.clientID);
      if (client === undefined) return { refused: 'the client of the token is gone' };
      return { client, number: record.number };
    },
    revokeTokens: (clientID) => {
      for (const record of tokens.values()) {
        if (clientID === undefined || record.clientID === clientID) record.revoked = true;
      }
    },
    tokensIssued: (clientID) =>
      [...tokens.values()].filter((record) => clientID === undefined || record.clientID === clientID).length,
    clearTokens: () => tokens.clear(),
  };
}

/** Tokens are kept as digests, so that a dump of the store leaks none. */
function digest(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** A fresh secret in the alphabet of real ones, `=` and `-` and `$` included. */
export function randomSecret(): string {
  return `${randomBytes(24).toString('base64url')}$${randomBytes(24).toString('base64url')}=`;
}
