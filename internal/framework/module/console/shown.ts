import { visible } from '../../base/text/visible.ts';

declare const isShown: unique symbol;

/**
 * A value with all texts, including property names, escaped by `visible`. Formatters of commands accept only this type.
 */
export type Shown<T> = T & { readonly [isShown]: true };

/** A copy of plain data with escaped texts. */
export function shown<T>(value: T): Shown<T> {
  return copyOf(value) as Shown<T>;
}

function copyOf(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visible(name), copyOf(member)]));
}
