import { type Budget, ELEMENT_BYTES } from '../../limits/budget.ts';
import { GoMap, GoSlice, type Value } from '../../values/value.ts';
import { NO_VERSION, versionIn, versionValue } from '../semver/value.ts';

/** A copy whose maps can be changed without changing the original; all other values never change. */
export function deepCopy(value: Value, budget: Budget, depth = 0): Value {
  budget.checkDepth(depth);
  if (value instanceof GoSlice) {
    budget.step(value.items.length);
    budget.charge(value.items.length * ELEMENT_BYTES);
    const items = value.items.map((item) => deepCopy(item, budget, depth + 1));
    return new GoSlice(value.elementType, items, value.isNil, value.named);
  }
  if (value instanceof GoMap) {
    budget.step(value.entries.size);
    budget.charge(value.entries.size * ELEMENT_BYTES);
    const entries = [...value.entries].map(([key, item]): [string, Value] => [
      key,
      deepCopy(item, budget, depth + 1),
    ]);
    return new GoMap(value.valueType, new Map(entries), value.isNil, value.named);
  }
  // The library of Go does not copy what it cannot see.
  return versionIn(value) ? versionValue(NO_VERSION) : value;
}
