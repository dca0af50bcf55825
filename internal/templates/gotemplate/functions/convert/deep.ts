import { type Budget, ELEMENT_BYTES } from '../../budget.ts';
import { GoInteger, GoMap, GoObject, GoSlice, type Value } from '../../values/value.ts';
import { NO_VERSION, versionIn, versionValue } from '../semver/version.ts';

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

/** As reflect.DeepEqual: of the same type and content; a nil list differs from an empty one. */
export function deepEqual(one: Value, other: Value, budget: Budget, depth = 0): boolean {
  budget.step();
  budget.checkDepth(depth);
  const areEqual = (a: Value | undefined, b: Value | undefined): boolean =>
    a !== undefined && b !== undefined && deepEqual(a, b, budget, depth + 1);
  if (one instanceof GoInteger) {
    return other instanceof GoInteger && one.type.name === other.type.name && one.value === other.value;
  }
  if (one instanceof GoSlice) {
    if (!(other instanceof GoSlice) || one.typeName !== other.typeName || one.isNil !== other.isNil)
      return false;
    if (one.items.length !== other.items.length) return false;
    return one.items === other.items || one.items.every((item, i) => areEqual(item, other.items[i]));
  }
  if (one instanceof GoMap) {
    if (!(other instanceof GoMap) || one.typeName !== other.typeName || one.isNil !== other.isNil)
      return false;
    if (one.entries.size !== other.entries.size) return false;
    if (one.entries === other.entries) return true;
    return [...one.entries].every(([key, value]) => areEqual(value, other.entries.get(key)));
  }
  if (one instanceof GoObject) {
    if (!(other instanceof GoObject) || one.type !== other.type || one.isNil !== other.isNil) return false;
    return one.content === other.content || Boolean(one.type.equal?.(one.content, other.content));
  }
  return one === other;
}
