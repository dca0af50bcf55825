/**
 * Writes protocol buffers: fields by number, one call each, joined by `message`. The caller omits zero values where
 * proto3 omits them, i.e. outside of a `oneof` and of `optional` fields.
 */

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;

export function message(...fields: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(fields);
}

/** A non-negative integer up to 2^53, an enum or a bool. */
export function integer(field: number, value: number): Uint8Array {
  return Buffer.from([...varint(field * 8 + VARINT), ...varint(value)]);
}

export function double(field: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([Buffer.from(varint(field * 8 + FIXED64)), bytes]);
}

export function text(field: number, value: string): Uint8Array {
  // Receivers refuse a message with a lone surrogate, which is no UTF-8.
  return bytes(field, Buffer.from(value.toWellFormed(), 'utf8'));
}

/** A message within the message, or bytes. */
export function bytes(field: number, value: Uint8Array): Uint8Array {
  return Buffer.concat([
    Buffer.from([...varint(field * 8 + LENGTH_DELIMITED), ...varint(value.length)]),
    value,
  ]);
}

function varint(value: number): number[] {
  const out: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  out.push(rest);
  return out;
}
