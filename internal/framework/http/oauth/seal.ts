import { inspect } from 'node:util';

/**
 * Seals credentials, so that an accidental log line leaks nothing.
 *
 * @param shown what printing and serialising show
 */
export function seal<T extends object>(credentials: T, shown: object): T {
  const sealed = { ...credentials };
  const value = () => shown;
  Object.defineProperty(sealed, 'toJSON', { value });
  Object.defineProperty(sealed, inspect.custom, { value });
  return Object.freeze(sealed);
}
