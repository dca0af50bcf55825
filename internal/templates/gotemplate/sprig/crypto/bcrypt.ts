import { Failure } from '../../functions/define.ts';

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

/* The cipher of bcrypt. */

const SUBKEYS = 18;
const BOX_SIZE = 256;

/** Words of the fractional part of π, which the cipher begins with. */
function piWords(count: number): Uint32Array {
  const guard = 64n;
  const scale = BigInt(count * 32) + guard;
  // Machin: π/4 = 4 arctan(1/5) − arctan(1/239)
  const arctan = (inverse: bigint): bigint => {
    let power = (1n << scale) / inverse;
    let sum = power;
    for (let n = 3n, sign = -1n; power > 0n; n += 2n, sign = -sign) {
      power /= inverse * inverse;
      sum += (sign * power) / n;
    }
    return sum;
  };
  const pi = 4n * (4n * arctan(5n) - arctan(239n));
  const fraction = BigInt.asUintN(Number(scale), pi) >> guard;
  const hex = fraction.toString(16).padStart(count * 8, '0');
  return Uint32Array.from({ length: count }, (_, i) => Number.parseInt(hex.slice(i * 8, i * 8 + 8), 16));
}

class Blowfish {
  readonly #subkeys: Uint32Array;
  readonly #boxes: Uint32Array;
  #left = 0;
  #right = 0;

  constructor() {
    const words = piWords(SUBKEYS + 4 * BOX_SIZE);
    this.#subkeys = words.slice(0, SUBKEYS);
    this.#boxes = words.slice(SUBKEYS);
  }

  /** Mixes a key and a salt into the state; without salt it is all zeros. */
  expand(key: Uint8Array, salt?: Uint8Array): void {
    const wordOf = (bytes: Uint8Array, at: number): number => {
      let word = 0;
      for (let i = 0; i < 4; i++) word = (word << 8) | (bytes[(at + i) % bytes.length] ?? 0);
      return word >>> 0;
    };
    for (let i = 0; i < SUBKEYS; i++) this.#subkeys[i] = ((this.#subkeys[i] ?? 0) ^ wordOf(key, i * 4)) >>> 0;
    this.#left = 0;
    this.#right = 0;
    let at = 0;
    const fill = (table: Uint32Array) => {
      for (let i = 0; i < table.length; i += 2) {
        if (salt) {
          this.#left ^= wordOf(salt, at);
          this.#right ^= wordOf(salt, at + 4);
          at = (at + 8) % salt.length;
        }
        this.#encrypt();
        table[i] = this.#left;
        table[i + 1] = this.#right;
      }
    };
    fill(this.#subkeys);
    fill(this.#boxes);
  }

  #encrypt(): void {
    const subkeys = this.#subkeys;
    const boxes = this.#boxes;
    let left = (this.#left ^ (subkeys[0] ?? 0)) >>> 0;
    let right = this.#right;
    for (let i = 1; i <= 16; i++) {
      const a = boxes[left >>> 24] ?? 0;
      const b = boxes[BOX_SIZE + ((left >>> 16) & 0xff)] ?? 0;
      const c = boxes[2 * BOX_SIZE + ((left >>> 8) & 0xff)] ?? 0;
      const d = boxes[3 * BOX_SIZE + (left & 0xff)] ?? 0;
      const mixed = ((((a + b) ^ c) + d) ^ (subkeys[i] ?? 0)) >>> 0;
      const next = (right ^ mixed) >>> 0;
      right = left;
      left = next;
    }
    this.#left = (right ^ (subkeys[17] ?? 0)) >>> 0;
    this.#right = left;
  }

  /** Encrypts pairs of words in place. */
  encryptWords(words: Uint32Array): void {
    for (let i = 0; i < words.length; i += 2) {
      this.#left = words[i] ?? 0;
      this.#right = words[i + 1] ?? 0;
      this.#encrypt();
      words[i] = this.#left;
      words[i + 1] = this.#right;
    }
  }
}
