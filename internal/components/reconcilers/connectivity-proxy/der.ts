/** Values of ASN.1 in DER (X.690): a tag, a length, and the content. */
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;

export function encode(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

/** Below 128 one byte, else the number of bytes and the bytes. */
function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => encode(SEQUENCE, ...content);
export const set = (...content: readonly Uint8Array[]): Buffer => encode(SET, ...content);
/** @param bytes of a number that is not negative */
export const integer = (bytes: Uint8Array): Buffer =>
  encode(INTEGER, (bytes[0] ?? 0) & 0x80 ? Buffer.from([0]) : Buffer.alloc(0), bytes);
export const octets = (content: Uint8Array): Buffer => encode(OCTET_STRING, content);
/** @param unused bits at the end */
export const bits = (content: Uint8Array, unused = 0): Buffer =>
  encode(BIT_STRING, Buffer.from([unused]), content);
export const text = (value: string): Buffer => encode(UTF8_STRING, Buffer.from(value));
export const truth = (): Buffer => Buffer.from([0x01, 0x01, 0xff]);
/** In seconds, UTC. */
export const time = (ms: number): Buffer =>
  encode(GENERALIZED_TIME, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\..*/g, '')}Z`));

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let more = part >>> 7; more > 0; more >>>= 7) groups.unshift((more & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return encode(OBJECT_IDENTIFIER, Buffer.from(bytes));
}
