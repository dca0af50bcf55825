import { isObject } from './json-value.ts';

// Bytes of V8 in 64 bits without compressed pointers, for values of `JSON.parse`: measured, see the test.
const POINTER = 8;
const ARRAY = 48;
/** An object has room for four fields before it has any. */
const OBJECT = 56;
const FIELD = POINTER;
const TEXT = 24;
/** One character of two bytes makes all of a text so. */
const WIDE = /[\u0100-\uffff]/;
const NUMBER = 16;
/** Of an object whose names no other one has in this order, or that are numbers: each name takes a place of a hash table. */
const UNSHARED_FIELD = 144;
/** V8 shares the names of objects with the same ones; of very many kinds of objects it shares none. */
const MAX_SHAPES = 500;
/** Names that are joined to tell objects apart. Larger ones have a hash table. */
const MAX_SHARED_FIELDS = 128;

/**
 * The memory that a value of a JSON text takes, in bytes; an upper bound. A text of others may become twenty times as large (`[{},{},…]`),
 * while that of a usual object takes about as much as the text.
 */
export function memoryOf(root: unknown): number {
  const shapes = new Set<string>();
  const open: unknown[] = [root];
  let bytes = 0;
  while (open.length > 0) {
    const value = open.pop();
    bytes += POINTER;
    if (typeof value === 'string') bytes += TEXT + (WIDE.test(value) ? 2 : 1) * value.length;
    else if (typeof value === 'number') bytes += NUMBER;
    else if (Array.isArray(value)) {
      bytes += ARRAY;
      for (const item of value) open.push(item);
    } else if (isObject(value)) {
      const members = Object.values(value);
      const isShared = members.length <= MAX_SHARED_FIELDS && sharesNames(value, shapes);
      bytes += OBJECT + members.length * (isShared ? FIELD : UNSHARED_FIELD);
      for (const member of members) open.push(member);
    }
  }
  return bytes;
}

function sharesNames(value: object, shapes: Set<string>): boolean {
  const names = Object.keys(value);
  const [first = ''] = names;
  // Names that are numbers come first.
  if (/^\d/.test(first) || shapes.size > MAX_SHAPES) return false;
  const shape = names.join('\n');
  if (shapes.has(shape)) return true;
  shapes.add(shape);
  return false;
}
