/** Values in DER (X.690), the encoding of keys and certificates. */

function encode(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const digits = length.toString(16);
  const size = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | size.length]), size, content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => encode(0x30, ...parts);
export const setOf = (...parts: readonly Uint8Array[]): Buffer => encode(0x31, ...parts);
export const octets = (bytes: Uint8Array): Buffer => encode(0x04, bytes);
export const utf8 = (text: string): Buffer => encode(0x0c, Buffer.from(text));
export const boolean = (value: boolean): Buffer => encode(0x01, Buffer.from([value ? 0xff : 0]));
export const nothing = (): Buffer => encode(0x05);

/** A tag that depends on its context; `isConstructed` for one around other values. */
export const tagged = (tag: number, content: Uint8Array, isConstructed = false): Buffer =>
  encode((isConstructed ? 0xa0 : 0x80) | tag, content);

/** @param unused bits at the end */
export const bits = (bytes: Uint8Array, unused = 0): Buffer => encode(0x03, Buffer.from([unused]), bytes);

/** An integer that is not negative, in the fewest octets (X.690, 8.3.2). */
export function integer(value: bigint): Buffer {
  const digits = value.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return encode(0x02, (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of others) {
    const groups = [part & 0x7f];
    for (let rest = part >>> 7; rest > 0; rest >>>= 7) groups.unshift((rest & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return encode(0x06, Buffer.from(bytes));
}

/** From 1950 to 2049 two digits of the year, else four. */
export function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  const year = Number(digits.slice(0, 4));
  return year >= 1950 && year < 2050
    ? encode(0x17, Buffer.from(digits.slice(2)))
    : encode(0x18, Buffer.from(digits));
}

/** The content of each value in a constructed one, as `readParts` of its content. */
export interface DerPart {
  readonly tag: number;
  readonly content: Buffer;
  /** With tag and length. */
  readonly whole: Buffer;
}

/** The values that follow each other in some bytes. */
export function readParts(bytes: Buffer): DerPart[] {
  const parts: DerPart[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const first = bytes[at + 1] ?? 0;
    const size = first < 0x80 ? 0 : first & 0x7f;
    const length = size === 0 ? first : bytes.readUIntBE(at + 2, Math.min(size, 6));
    const start = at + 2 + size;
    parts.push({
      tag: bytes[at] ?? 0,
      content: bytes.subarray(start, start + length),
      whole: bytes.subarray(at, start + length),
    });
    at = start + length;
  }
  return parts;
}
