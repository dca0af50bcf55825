import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type TokenFormat = 'jwt' | 'opaque';

/** Creates tokens and recognizes them. Their validity is in the store. */
export interface TokenMint {
  mint(clientID: string, format: TokenFormat, issuedAt: number, expiresAt: number): string;
  /** False for a token of its form with a wrong signature: forged, or cut. */
  isGenuine(token: string): boolean;
}

export function createTokenMint(): TokenMint {
  const key = randomBytes(32);
  const sign = (text: string) => createHmac('sha256', key).update(text).digest();
  return {
    mint: (clientID, format, issuedAt, expiresAt) => {
      const id = randomBytes(18).toString('base64url');
      if (format === 'opaque') return id + randomBytes(18).toString('base64url');
      const claims = {
        jti: id,
        client_id: clientID,
        grant_type: 'client_credentials',
        iat: Math.floor(issuedAt / 1000),
        exp: Math.floor(expiresAt / 1000),
      };
      const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
      return `${text}.${sign(text).toString('base64url')}`;
    },
    isGenuine: (token) => {
      const [head, claims, signature, ...rest] = token.split('.');
      if (claims === undefined) return true;
      if (signature === undefined || rest.length > 0) return false;
      const given = Buffer.from(signature, 'base64url');
      const expected = sign(`${head}.${claims}`);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
