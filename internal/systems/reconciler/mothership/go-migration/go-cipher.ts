import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { ProviderError } from '../../../../framework/base/index.ts';

const KEY_ID_LENGTH = 15;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Decrypts the texts of the Go program: the first 15 characters of the MD5 of the key, then nonce, cipher and tag in
 * hexadecimal (AES-256-GCM).
 *
 * @param hexKeys contents of its key file, 64 hexadecimal characters; the one that encrypted a text is found
 */
export function createGoCipher(hexKeys: readonly string[]): (text: string, what: string) => string {
  const keys = new Map(hexKeys.map((hex) => [goKeyIdOf(hex), Buffer.from(hex, 'hex')]));
  return (text, what) => {
    const key = keys.get(text.slice(0, KEY_ID_LENGTH));
    if (key === undefined) {
      throw new ProviderError('terminal', `cannot decrypt ${what}: it was encrypted with another key`);
    }
    const sealed = Buffer.from(text.slice(KEY_ID_LENGTH), 'hex');
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const plain = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([plain, decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new ProviderError('terminal', `cannot decrypt ${what}: the text was changed`, { cause });
    }
  };
}

/** Encrypts as the Go program does. @param hexKey content of its key file */
export function encryptForGo(text: string, hexKey: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(hexKey, 'hex'), nonce, {
    authTagLength: TAG_BYTES,
  });
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return goKeyIdOf(hexKey) + sealed.toString('hex');
}

/** What texts that were encrypted with a key begin with. */
export const goKeyIdOf = (hexKey: string): string =>
  createHash('md5').update(hexKey).digest('hex').slice(0, KEY_ID_LENGTH);
