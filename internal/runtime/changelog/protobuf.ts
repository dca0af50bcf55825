/**
 * Protocol buffers, to write: fields by number, one call each, joined by `message`. What proto3 leaves out, the zero of
 * a type, is left out by the caller, who knows where it counts (in a `oneof`, in an `optional` field).
 */

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;

export function message(...fields: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(fields);
}

/** An integer that is not negative, an enum or a bool. Beyond 2^53 it would not be exact. */
export function integer(field: number, value: number): Uint8Array {
  return Buffer.from([...varint(field * 8 + VARINT), ...varint(value)]);
}

export function double(field: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([Buffer.from(varint(field * 8 + FIXED64)), bytes]);
}

export function text(field: number, value: string): Uint8Array {
  // A lone surrogate is no UTF-8, and receivers refuse the whole message for it.
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
