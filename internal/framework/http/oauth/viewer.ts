import { createHash } from 'node:crypto';
import type { ApiCredentials } from './api-credentials.ts';

/** 132 bits, so that clients do not collide. */
const DIGEST_LENGTH = 22;

/**
 * An identifier of an OAuth client at one API. It does not depend on the secret, so it does not change with a rotation and
 * is not confidential.
 */
export function viewerOf({
  baseUrl,
  tokenUrl,
  clientId,
}: Pick<ApiCredentials, 'baseUrl' | 'tokenUrl' | 'clientId'>): string {
  return digestOf(JSON.stringify([baseUrl, tokenUrl, clientId]));
}

/** An identifier of an API, equal for all clients of one base URL. Does not reveal the host, which may be from a Secret. */
export function apiOf(baseUrl: string): string {
  return digestOf(JSON.stringify([baseUrl]));
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH);
}
