import { createHmac, scryptSync } from 'node:crypto';

const SEED = 'com.lyndir.masterpassword';

/** What a password of each type is made of: one letter for a set of characters. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  maximum: ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno'],
  long: [
    'CvcvnoCvcvCvcv',
    'CvcvCvcvnoCvcv',
    'CvcvCvcvCvcvno',
    'CvccnoCvcvCvcv',
    'CvccCvcvnoCvcv',
    'CvccCvcvCvcvno',
    'CvcvnoCvccCvcv',
    'CvcvCvccnoCvcv',
    'CvcvCvccCvcvno',
    'CvcvnoCvcvCvcc',
    'CvcvCvcvnoCvcc',
    'CvcvCvcvCvccno',
    'CvccnoCvccCvcv',
    'CvccCvccnoCvcv',
    'CvccCvccCvcvno',
    'CvcvnoCvccCvcc',
    'CvcvCvccnoCvcc',
    'CvcvCvccCvccno',
    'CvccnoCvcvCvcc',
    'CvccCvcvnoCvcc',
    'CvccCvcvCvccno',
  ],
  medium: ['CvcnoCvc', 'CvcCvcno'],
  short: ['Cvcn'],
  basic: ['aaanaaan', 'aannaaan', 'aaannaaa'],
  pin: ['nnnn'],
};

const CHARACTERS: Readonly<Record<string, string>> = {
  V: 'AEIOU',
  C: 'BCDFGHJKLMNPQRSTVWXYZ',
  v: 'aeiou',
  c: 'bcdfghjklmnpqrstvwxyz',
  A: 'AEIOUBCDFGHJKLMNPQRSTVWXYZ',
  a: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz',
  n: '0123456789',
  o: "@&%?,=[]_:-+*$#!'^~;()/.",
  x: 'AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()',
};

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** The password of a site that a master password gives (the algorithm Master Password). */
export function derivePassword(
  counter: number,
  type: string,
  password: Buffer,
  user: Buffer,
  site: Buffer,
): string {
  const templates = Object.hasOwn(TEMPLATES, type) ? (TEMPLATES[type] ?? []) : [];
  if (templates.length === 0) return `cannot find password template ${type}`;
  const salt = Buffer.concat([Buffer.from(SEED), word(user.length), user]);
  const key = scryptSync(password, salt, 64, { N: 32_768, r: 8, p: 2, maxmem: 128 * 1024 * 1024 });
  const message = Buffer.concat([Buffer.from(SEED), word(site.length), site, word(counter)]);
  const seed = createHmac('sha256', key).update(message).digest();
  const template = templates[(seed[0] ?? 0) % templates.length] ?? '';
  return Array.from(template, (letter, i) => {
    const characters = CHARACTERS[letter] ?? '';
    return characters[(seed[i + 1] ?? 0) % characters.length] ?? '';
  }).join('');
}
