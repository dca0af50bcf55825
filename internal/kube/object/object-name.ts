import { isNamespaceName } from './name.ts';
import { isObjectName } from './names.ts';

/**
 * Why no object can have this key, for a message after `… not found`; undefined if one can: `"Orders_Secret" cannot be the name of
 * an object …`. Roles and bindings, whose names have other characters, are not meant.
 *
 * @param key `namespace/name` or `name`
 */
export function impossibleKey(key: string): string | undefined {
  const slash = key.indexOf('/');
  const [namespace, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
  if (!isObjectName(name))
    return `${quoted(name)} cannot be the name of an object, which has lower-case letters, digits, "-" and "." only`;
  if (namespace !== undefined && !isNamespaceName(namespace))
    return `${quoted(namespace)} cannot be a namespace, which has lower-case letters, digits and "-" only`;
  return undefined;
}

/** `not found`, with the reason why such an object cannot exist, if there is one. */
export function notFoundText(key: string): string {
  const why = impossibleKey(key);
  return why === undefined ? 'not found' : `not found: ${why}`;
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 300));
