/** What a server responded, with its time going on. */
export interface Timed<T> {
  now(): T;
}

export function timed<T extends { readonly time: string }>(response: T): Timed<T> {
  const read = performance.now();
  const at = Date.parse(response.time);
  return { now: () => ({ ...response, time: new Date(at + performance.now() - read).toISOString() }) };
}
