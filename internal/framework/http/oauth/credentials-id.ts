import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { type ApiCredentials, clientCertificateOf } from './api-credentials.ts';
import type { FixedCredentials } from './fixed-credentials.ts';

export interface CredentialsIDs {
  readonly idOf: (credentials: ApiCredentials) => string;
  readonly idOfFixed: (credentials: FixedCredentials) => string;
}

/**
 * Creates IDs of credentials: a keyed hash, equal for equal credentials. The key is random and stays in this function, so
 * that an ID does not confirm guessed credentials.
 */
export function createCredentialsIDs(): CredentialsIDs {
  // A key object is several times faster than a buffer.
  const key = createSecretKey(randomBytes(32));
  // JSON, since a concatenation of fields would be ambiguous.
  const idOf = (...fields: readonly unknown[]) =>
    createHmac('sha256', key).update(JSON.stringify(fields)).digest('base64url');
  return {
    idOf: (credentials) => {
      const { baseUrl, tokenUrl, clientId, authentication } = credentials;
      const pair = clientCertificateOf(credentials);
      const secret = authentication.method === 'client-secret' ? authentication.clientSecret : undefined;
      return idOf(baseUrl, tokenUrl, clientId, secret ?? null, pair?.certificate, pair?.key);
    },
    idOfFixed: ({ baseUrl, authentication }) => idOf(baseUrl, Object.entries(authentication).sort()),
  };
}
