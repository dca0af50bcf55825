import { InvalidConfigurationError } from '../errors/errors.ts';
import { ConfigurationError } from './configuration-error.ts';

/** Functions that read the fields of an object. */
export type FieldReaders<T> = { readonly [K in keyof T]: () => T[K] };

/**
 * Reads all fields, so that the mistakes of all of them are reported at once.
 *
 * @throws the only InvalidConfigurationError, or a ConfigurationError with all of them
 */
export function readFields<T extends object>(readers: FieldReaders<T>): T {
  const mistakes: InvalidConfigurationError[] = [];
  const fields = Object.entries<() => unknown>(readers).map(([name, read]) => {
    try {
      return [name, read()];
    } catch (error) {
      mistakes.push(mistakeIn(error));
      return [name, undefined];
    }
  });
  throwAny(mistakes);
  return Object.fromEntries(fields) as T;
}

/** The same for items of a list. */
export const readItems = <I, T>(items: readonly I[], read: (item: I) => T): T[] =>
  Object.values(readFields<T[]>(items.map((item) => () => read(item))));

/** The same for what is read asynchronously, at the same time. */
export async function readAll<T extends readonly unknown[]>(
  values: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const results = await Promise.allSettled(values);
  throwAny(results.flatMap((result) => (result.status === 'rejected' ? [mistakeIn(result.reason)] : [])));
  return results.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as unknown as T;
}

function mistakeIn(error: unknown): InvalidConfigurationError {
  if (error instanceof InvalidConfigurationError) return error;
  throw error;
}

function throwAny(errors: readonly InvalidConfigurationError[]): void {
  const [only, ...others] = errors;
  if (only === undefined) return;
  if (others.length === 0) throw only;
  const texts = errors.flatMap((error) =>
    error instanceof ConfigurationError ? error.mistakes : [error.message],
  );
  // What is no object is the mistake of each of its members.
  const [first = '', ...more] = new Set(texts);
  const pages = errors.flatMap((error) => (error instanceof ConfigurationError ? [error.page] : []));
  throw more.length === 0
    ? only
    : new ConfigurationError([first, ...more], { page: pages.find((page) => page !== '') ?? '' });
}
