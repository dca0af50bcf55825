import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Keyring } from '../encryption/keyring.ts';

interface TokenInput {
  readonly schedulingId: string;
  readonly correlationId: string;
}

/**
 * Tokens of callback URLs. A token names the attempt by its fencing token, and is signed, so that only the component
 * reconciler that got the task can report its result. Any process with the same keys reads it.
 */
export interface OperationTokens {
  issue(attempt: TokenInput & { readonly fencingToken: number }): string;
  /** The fencing token; undefined if the token is missing or not valid for this operation. */
  read(callback: TokenInput & { readonly token: string | undefined }): number | undefined;
}

const FORMAT = /^(\d{1,15})\.([A-Za-z0-9_-]{43})$/;

export function createOperationTokens(keyring: Keyring): OperationTokens {
  // Each time: a rotation adds keys while this process runs.
  const keysNow = () => keyring.derive('operation tokens');
  const sign = (key: KeyObject, { schedulingId, correlationId }: TokenInput, fencingToken: string) =>
    createHmac('sha256', key)
      .update(JSON.stringify([schedulingId, correlationId, fencingToken]))
      .digest('base64url');
  return {
    issue: ({ fencingToken, ...ids }) => {
      const [key] = keysNow();
      if (key === undefined) throw new TypeError('a keyring has a current key');
      return `${fencingToken}.${sign(key, ids, String(fencingToken))}`;
    },
    read: ({ token = '', ...ids }) => {
      const [, fencingToken, signature] = FORMAT.exec(token) ?? [];
      if (fencingToken === undefined || signature === undefined) return undefined;
      const given = Buffer.from(signature);
      const isValid = keysNow().some((key) =>
        timingSafeEqual(Buffer.from(sign(key, ids, fencingToken)), given),
      );
      return isValid ? Number(fencingToken) : undefined;
    },
  };
}
