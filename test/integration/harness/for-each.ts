/** Acts on many at a time, but on no more than a busy API server takes well. */
export async function forEach<T>(items: Iterable<T>, act: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const work = async () => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: 16 }, work));
}
