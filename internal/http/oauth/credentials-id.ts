import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { type ApiCredentials, clientCertificateOf } from './api-credentials.ts';

/**
 * Creates IDs of credentials: a keyed hash, equal for equal credentials. The key is random and stays in this function, so
 * that an ID does not confirm guessed credentials.
 */
export function createCredentialsIDs(): (credentials: ApiCredentials) => string {
  // A key object is several times faster than a buffer.
  const key = createSecretKey(randomBytes(32));
  return (credentials) => {
    const { baseUrl, tokenUrl, clientId, authentication } = credentials;
    const pair = clientCertificateOf(credentials);
    const secret = authentication.method === 'client-secret' ? authentication.clientSecret : undefined;
    // JSON, since a concatenation of fields would be ambiguous.
    const text = JSON.stringify([baseUrl, tokenUrl, clientId, secret ?? null, pair?.certificate, pair?.key]);
    return createHmac('sha256', key).update(text).digest('base64url');
  };
}
