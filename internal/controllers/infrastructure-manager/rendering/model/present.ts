/** The members that have a value. */
export type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without members that are undefined: server-side apply and comparisons know no such value. */
export function present<T extends object>(object: T): Present<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Present<T>;
}
