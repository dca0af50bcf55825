/** `merge` and `mergeOverwrite`, as the library mergo does it with the settings of sprout. */
import type { Budget } from '../../budget.ts';
import { GoMap, INTERFACE, type Value } from '../../values/value.ts';
import { isEmpty, Panic } from '../define.ts';

/** Adds the entries of `source` to `target`, maps in maps too. @param overwrites whether they replace existing ones */
export function merge(target: GoMap, source: GoMap, overwrites: boolean, budget: Budget, depth = 0): void {
  budget.checkDepth(depth);
  budget.step(source.entries.size);
  budget.charge(source.entries.size * 32);
  for (const [key, value] of source.entries) {
    const existing = target.entries.get(key);
    if (value === null) {
      if (overwrites) assign(target, key, source, value);
      continue;
    }
    if (value instanceof GoMap && existing instanceof GoMap) {
      // A nil map in a map stays as it is.
      if (!existing.isNil) merge(existing, value, overwrites, budget, depth + 1);
      continue;
    }
    if (overwrites || existing === undefined || isUnset(existing, target)) assign(target, key, source, value);
  }
}

/** In a map of values of any type, only nil is unset; in one of strings, the empty string is. */
const isUnset = (value: Value, map: GoMap): boolean =>
  map.valueType === INTERFACE ? value === null : isEmpty(value);

/** @throws Panic if the target has values of another type */
export function assign(target: GoMap, key: string, source: GoMap, value: Value): void {
  if (target.valueType !== INTERFACE && target.valueType !== source.valueType) {
    throw new Panic(
      `reflect.Value.SetMapIndex: value of type ${source.valueType} is not assignable to type ${target.valueType}`,
    );
  }
  target.entries.set(key, value);
}
