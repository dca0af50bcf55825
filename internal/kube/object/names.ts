/** The limit of names of objects, in characters. */
const MAX_LENGTH = 253;

/** A DNS subdomain (RFC 1123), as the names of most objects are. */
const NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** Whether an object, such as a Secret or a ConfigMap, can have the name. */
export const isObjectName = (text: string): boolean => text.length <= MAX_LENGTH && NAME.test(text);

/**
 * The sentence about a name that no object can have; undefined: one can. A reference to it is not cured by creating an object.
 *
 * @param what e.g. `a Secret`
 */
export const nameProblem = (name: string, what: string): string | undefined =>
  isObjectName(name)
    ? undefined
    : `${JSON.stringify(name.slice(0, 100))} cannot be the name of ${what}: a name has at most ${MAX_LENGTH} lower case letters, digits, '-' and '.', and begins and ends with a letter or digit`;
