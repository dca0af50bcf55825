import { isObject, valueAt } from '../../../../../framework/base/index.ts';

/** The text at a path of an object of the cluster; undefined if there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = valueAt(value, path);
  return typeof found === 'string' ? found : undefined;
}

/** The objects of a list at a path; none if there is no list. */
export function itemsAt(
  value: unknown,
  ...path: readonly string[]
): readonly Readonly<Record<string, unknown>>[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found.filter(isObject) : [];
}

/** The text of a key of a Secret; undefined if it has none. */
export function secretText(
  secret: { readonly data?: Record<string, string> },
  key: string,
): string | undefined {
  const encoded = textAt(secret.data, key);
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}
