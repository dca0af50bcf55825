/** Acts on the items in their order, on at most `width` at a time. Rejects with the first error of `act`. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const work = async () => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: width }, work));
}
