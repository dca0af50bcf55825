import type { IncomingMessage } from 'node:http';
import type { OAuthClient, OAuthClients } from './clients.ts';
import type { TokenMint } from './tokens.ts';

/** The client whose valid token a request has, or why there is none. */
export function clientOfBearer<C extends OAuthClient>(
  { headers }: IncomingMessage,
  clients: OAuthClients<C>,
  mint: TokenMint,
): { readonly client: C; readonly number: number } | { readonly refused: string } {
  const [scheme, token] = headers.authorization?.split(' ') ?? [];
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined) return { refused: 'a token is needed' };
  if (!mint.isGenuine(token)) return { refused: 'the token was not issued here' };
  return clients.clientOfToken(token, Date.now());
}
