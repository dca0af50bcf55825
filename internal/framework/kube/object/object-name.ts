const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** A DNS subdomain (RFC 1123), as names of most objects are. */
export const isObjectName = (name: string): boolean => name.length <= 253 && SUBDOMAIN.test(name);

/** At most `length` characters of a name or label value, without separators at the end, which none of them ends with. */
export function cutName(name: string, length: number): string {
  let end = Math.min(name.length, length);
  while (end > 0 && '-_.'.includes(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/** A DNS label (RFC 1123). */
export const isNamespaceName = (name: string): boolean => name.length <= 63 && NAMESPACE.test(name);

/**
 * Whether an object of any kind can have the name: of some kinds (RBAC) each segment of a path is one. Source:
 * `IsValidPathSegmentName` of apimachinery, and the length of names. No name has control characters.
 */
export const isNameOfSomeKind = (name: string): boolean =>
  name !== '.' && name !== '..' && /^[^/%\p{Cc}\p{Cs}]{1,253}$/u.test(name);

/**
 * Why no object can have this key, for a message after `… not found`; undefined if one can: `"Orders_Secret" cannot be the name of
 * an object …`. Roles and bindings, whose names have other characters, are not meant.
 *
 * @param key `namespace/name` or `name`
 */
export function impossibleKey(key: string): string | undefined {
  const slash = key.indexOf('/');
  const [namespace, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
  const problem = nameProblem(name, 'an object');
  if (problem !== undefined) return problem;
  if (namespace !== undefined && !isNamespaceName(namespace))
    return `${quoted(namespace)} cannot be a namespace, which has lower-case letters, digits and "-" only`;
  return undefined;
}

/**
 * The sentence about a name that no object can have; undefined: one can. No object that is created cures a reference to it.
 *
 * @param what e.g. `a Secret`
 */
export const nameProblem = (name: string, what: string): string | undefined =>
  isObjectName(name)
    ? undefined
    : `${quoted(name)} cannot be the name of ${what}, which has lower-case letters, digits, "-" and "." only`;

/** `not found`, with the reason why such an object cannot exist, if there is one. */
export function notFoundText(key: string): string {
  const why = impossibleKey(key);
  return why === undefined ? 'not found' : `not found: ${why}`;
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 300));
