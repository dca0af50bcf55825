import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { InvalidConfigurationError, ProviderError } from '../../../../framework/base/index.ts';

/** An encrypted text with the id of its key. */
export interface Sealed {
  readonly text: string;
  readonly keyId: string;
}

/** The keys of the database. Texts are encrypted with the current one; the others decrypt what is older. */
export interface Keyring {
  readonly currentId: string;
  readonly ids: readonly string[];
  /** @param purpose part of the authenticated data, so that texts of different columns cannot be swapped */
  encrypt(plain: string, purpose: string): Sealed;
  /** @throws terminal if the key is missing, or the text is not one of this key and purpose */
  decrypt(sealed: Sealed, purpose: string): string;
  /** Keys for another use, derived from each key, the current one first. */
  derive(use: string): readonly KeyObject[];
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A new key, as files have it: 64 hexadecimal characters. */
export const newKey = (): string => randomBytes(32).toString('hex');

/** Reads a key file: one key on each line, the current one first. @throws InvalidConfigurationError, without a key */
export function parseKeys(text: string): string[] {
  const keys = text.split('\n').map((line) => line.trim());
  const given = keys.filter((line) => line !== '');
  if (given.length === 0)
    throw new InvalidConfigurationError('cannot use the encryption key: the file is empty');
  return given.map(checkedKey);
}

function checkedKey(key: string): string {
  if (/^[0-9a-fA-F]{64}$/.test(key)) return key;
  throw new InvalidConfigurationError(
    'cannot use the encryption key: a key has 64 hexadecimal characters, one key on each line',
  );
}

/** @param keys in hexadecimal, the current one first */
export function createKeyring(keys: readonly string[]): Keyring {
  const known = keys.map((hex) => {
    const bytes = Buffer.from(checkedKey(hex), 'hex');
    // Ciphers take a key object several times as fast as its bytes.
    const key = createSecretKey(bytes);
    return { key, id: createHash('sha256').update(bytes).digest('hex').slice(0, 16) };
  });
  const [current] = known;
  if (current === undefined) throw new InvalidConfigurationError('cannot encrypt: there is no key');
  const byId = new Map(known.map(({ id, key }) => [id, key]));
  const derived = new Map<string, readonly KeyObject[]>();
  const derive = (use: string) =>
    known.map(({ key }) => createSecretKey(Buffer.from(hkdfSync('sha256', key, '', use, 32))));
  return {
    currentId: current.id,
    ids: [...byId.keys()],
    encrypt: (plain, purpose) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, current.key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([
        nonce,
        cipher.update(plain, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return { text: sealed.toString('base64'), keyId: current.id };
    },
    decrypt: ({ text, keyId }, purpose) => {
      const key = byId.get(keyId);
      if (key === undefined) {
        throw new ProviderError(
          'terminal',
          `cannot decrypt ${purpose}: there is no key with the id ${keyId}`,
        );
      }
      try {
        return open(key, Buffer.from(text, 'base64'), purpose);
      } catch (cause) {
        throw new ProviderError(
          'terminal',
          `cannot decrypt ${purpose}: the text is not one of key ${keyId}`,
          {
            cause,
          },
        );
      }
    },
    derive: (use) => {
      const keysOfUse = derived.get(use) ?? derive(use);
      derived.set(use, keysOfUse);
      return keysOfUse;
    },
  };
}

function open(key: KeyObject, sealed: Buffer, purpose: string): string {
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const plain = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  return Buffer.concat([plain, decipher.final()]).toString('utf8');
}
