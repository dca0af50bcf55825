import { createHash } from 'node:crypto';
import type { AdminCredentials } from './credentials.ts';

/** Long enough that no two clients ever share it. */
const DIGEST_LENGTH = 22;

/**
 * Names an OAuth2 client at one API. The secret takes no part: another secret of the same client sees the same, and
 * the name may be written where everybody reads it.
 */
export function viewerOf({ baseUrl, tokenUrl, clientId }: AdminCredentials): string {
  return digestOf(JSON.stringify([baseUrl, tokenUrl, clientId]));
}

/** Names an API: equal for all clients of one base URL. Says nothing about the host, which a Secret may hold. */
export function apiOf(baseUrl: string): string {
  return digestOf(JSON.stringify([baseUrl]));
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH);
}
