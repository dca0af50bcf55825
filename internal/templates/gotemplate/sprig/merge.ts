/** `merge` and `mergeOverwrite`, as version 1.0.1 of the library mergo does it with the settings of sprig. */
import { isEmpty } from '../functions/call/parameter.ts';
import { assign } from '../functions/dicts/merge.ts';
import type { Budget } from '../limits/budget.ts';
import { GoMap } from '../values/value.ts';

/**
 * Adds the entries of `source` to `target`, maps in maps too. What is empty in the target (false, 0, an empty text, list or map)
 * counts as unset.
 *
 * @param overwrites whether entries of `source` replace existing ones
 */
export function merge(target: GoMap, source: GoMap, overwrites: boolean, budget: Budget, depth = 0): void {
  budget.checkDepth(depth);
  budget.step(source.entries.size);
  budget.charge(source.entries.size * 32);
  for (const [key, value] of source.entries) {
    const existing = target.entries.get(key) ?? null;
    if (value === null) {
      if (overwrites) assign(target, key, source, value);
      continue;
    }
    if (value instanceof GoMap && existing instanceof GoMap) {
      // A nil map cannot be filled in its place: it is replaced.
      if (!existing.isNil) merge(existing, value, overwrites, budget, depth + 1);
      if (existing.entries.size > 0) continue;
    }
    if (overwrites || isEmpty(existing)) assign(target, key, source, value);
  }
}
