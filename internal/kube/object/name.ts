const MAX_LENGTH = 253;

/**
 * Whether an API server can have an object of this name: of some kinds (RBAC) any segment of a path is a name, of most a DNS
 * subdomain. Source: `IsValidPathSegmentName` of apimachinery, and the length of names.
 */
export const isObjectName = (name: string): boolean =>
  name !== '' &&
  name.length <= MAX_LENGTH &&
  name !== '.' &&
  name !== '..' &&
  // No control characters: they are in no name of any kind, and not in a path of HTTP.
  /^[^/%\p{Cc}\p{Cs}]+$/u.test(name);

/** Whether it is the name of a namespace: a DNS label (RFC 1123). */
export const isNamespaceName = (name: string): boolean => /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name);
