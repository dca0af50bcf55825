import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import type { ApiCredentials } from './api-credentials.ts';

/**
 * Makes IDs for credentials: equal for equal ones, unequal for any others. The key is random and never leaves this
 * function, so that an ID, even in a core dump beside a guess, confirms nothing to another process.
 */
export function createCredentialsIDs(): (credentials: ApiCredentials) => string {
  // A key object: bare bytes would be checked and copied for each ID, which takes several times as long.
  const key = createSecretKey(randomBytes(32));
  return ({ baseUrl, tokenUrl, clientId, authentication }) => {
    const proof =
      authentication.method === 'x509'
        ? [authentication.certificate, authentication.key]
        : [authentication.clientSecret];
    // As JSON, since joined fields could be cut differently and mean something else.
    const text = JSON.stringify([baseUrl, tokenUrl, clientId, authentication.method, ...proof]);
    return createHmac('sha256', key).update(text).digest('base64url');
  };
}
