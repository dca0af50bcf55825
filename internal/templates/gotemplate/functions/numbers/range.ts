import { type Budget, ELEMENT_BYTES } from '../../limits/budget.ts';

/** Bytes of an integer with its type. */
const INTEGER_BYTES = 48;

/** The integers from `start` to `stop`, without it. None, if the step leads away. */
export function range(start: bigint, stop: bigint, step: bigint, budget: Budget): bigint[] {
  const leadsAway = stop < start ? step >= 0n : step <= 0n;
  if (leadsAway) return [];
  const distance = stop - start;
  const count = Number((distance + step - (step > 0n ? 1n : -1n)) / step);
  budget.step(count);
  budget.charge(count * (INTEGER_BYTES + ELEMENT_BYTES));
  return Array.from({ length: count }, (_, i) => start + BigInt(i) * step);
}
