/** @throws what else is the case */
export function hold(it: boolean, otherwise: string): asserts it {
  if (!it) throw new Error(otherwise);
}
