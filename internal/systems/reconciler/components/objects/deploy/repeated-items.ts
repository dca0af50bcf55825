import { cloneJson, findCause, isObject, ownMember } from '../../../../../framework/base/index.ts';
import { KubeApiError, type KubeObject } from '../../../../../framework/kube/index.ts';

import { hasKeys, itemsAt, keysOf, stepsOf } from './field-path.ts';

/** Items of a list with the same key, such as two environment variables with one name. */
export interface RepeatedItems {
  /** `.spec.template.spec.containers[name="web"].env` */
  readonly list: string;
  /** `[name="A"]` */
  readonly key: string;
}

/** Between the list and the key in a message of an API server. */
const REPEATED = ': duplicate entries for key ';

/** What server-side apply refuses for this reason, and a creation does not. Empty for other errors. */
export function repeatedItemsIn(error: unknown): readonly RepeatedItems[] {
  const parts = findCause(error, KubeApiError)?.message.split(REPEATED) ?? [];
  return parts.slice(1).flatMap((after, index) => {
    const before = parts[index] ?? '';
    const list = before.slice(before.lastIndexOf(' ') + 1);
    const key = after.slice(0, after.indexOf(']') + 1);
    return list.startsWith('.') && key.startsWith('[') ? [{ list, key }] : [];
  });
}

/** A copy with the last item of each key alone: the one that counts. */
export function withoutRepetitions<T extends KubeObject>(object: T, repeated: readonly RepeatedItems[]): T {
  const copy = cloneJson(object);
  for (const { list, key } of repeated) {
    for (const items of listsAt(copy, stepsOf(list))) {
      const last = items.findLastIndex((item) => hasKeys(item, key));
      const kept = items.filter((item, index) => index === last || !hasKeys(item, key));
      items.splice(0, items.length, ...kept);
    }
  }
  return copy;
}

/**
 * What the API server made of the copy, with the items of the object in its order. Items that others have added come last.
 *
 * @param planned the copy, after an apply
 */
export function withRepetitions<T extends KubeObject>(
  planned: T,
  object: KubeObject,
  repeated: readonly RepeatedItems[],
): T {
  const whole = cloneJson(planned);
  for (const [list, those] of Map.groupBy(repeated, (each) => each.list)) {
    const names = keysOf(those[0]?.key ?? '').map(([name]) => name);
    const isRepeated = (item: unknown) => those.some(({ key }) => hasKeys(item, key));
    const wanted = listsAt(object, stepsOf(list));
    for (const [index, items] of listsAt(whole, stepsOf(list)).entries()) {
      const own = wanted[index] ?? [];
      const [byKey, ownByKey] = [byFirstKey(items, names), byFirstKey(own, names)];
      const merged = own.map((item) =>
        isRepeated(item) ? item : (byKey(item).find((other) => haveSameKeys(other, item, names)) ?? item),
      );
      const others = items.filter((item) => !ownByKey(item).some((each) => haveSameKeys(item, each, names)));
      items.splice(0, items.length, ...merged, ...others);
    }
  }
  return whole;
}

/** Those of the items that can have the same keys as another: lists of a chart may have thousands. */
function byFirstKey(items: readonly unknown[], [name = '']: readonly string[]) {
  const keyOf = (item: unknown) => (isObject(item) ? ownMember(item, name) : undefined);
  const groups = Map.groupBy(items, keyOf);
  const without = groups.get(undefined) ?? [];
  return (item: unknown): readonly unknown[] => {
    const key = keyOf(item);
    return key === undefined ? items : [...(groups.get(key) ?? []), ...without];
  };
}

/** A key with a default may be missing. */
const haveSameKeys = (one: unknown, other: unknown, names: readonly string[]): boolean =>
  isObject(one) &&
  isObject(other) &&
  names.every((name) => {
    const [a, b] = [ownMember(one, name), ownMember(other, name)];
    return a === undefined || b === undefined || a === b;
  });

/** The lists at a path, which may have several. */
function listsAt(value: unknown, [step, ...rest]: readonly string[]): unknown[][] {
  if (step === undefined) return Array.isArray(value) ? [value] : [];
  if (!step.startsWith('[')) return isObject(value) ? listsAt(ownMember(value, step), rest) : [];
  if (!Array.isArray(value)) return [];
  return itemsAt(value, step).flatMap((item) => listsAt(item, rest));
}
