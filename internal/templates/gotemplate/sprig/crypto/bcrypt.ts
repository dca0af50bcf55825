import { Failure } from '../../functions/define.ts';
import { Blowfish } from './blowfish.ts';

const COST = 10;
const MAX_PASSWORD = 72;
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const STANDARD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const MAGIC = 'OrpheanBeholderScryDoubt';

/** The hash of a password for a salt of 16 bytes. Takes about 50 ms. @throws Failure for a password that is too long */
export function bcrypt(password: Uint8Array, salt: Uint8Array): string {
  if (password.length > MAX_PASSWORD) throw new Failure('bcrypt: password length exceeds 72 bytes');
  const key = Buffer.concat([password, Buffer.from([0])]);
  const cipher = new Blowfish();
  cipher.expand(key, salt);
  for (let i = 0; i < 2 ** COST; i++) {
    cipher.expand(key);
    cipher.expand(salt);
  }
  const magic = Buffer.from(MAGIC);
  const words = Uint32Array.from({ length: MAGIC.length / 4 }, (_, i) => magic.readUInt32BE(i * 4));
  for (let i = 0; i < 64; i++) cipher.encryptWords(words);
  const hash = Buffer.alloc(words.length * 4);
  for (const [i, word] of words.entries()) hash.writeUInt32BE(word, i * 4);
  // The last byte is left out.
  return `$2a$${COST}$${encode(salt)}${encode(hash.subarray(0, 23))}`;
}

const encode = (bytes: Uint8Array): string =>
  Array.from(
    Buffer.from(bytes).toString('base64').replaceAll('=', ''),
    (char) => ALPHABET[STANDARD.indexOf(char)],
  ).join('');
