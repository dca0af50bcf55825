/** A queue in which groups take turns, those of the lowest cost first, and those of one group wait in their order. */
export interface Turns<T> {
  add(group: string, item: T): void;
  remove(group: string, item: T): void;
  /** Removes and returns the next one of a group that may start one. */
  next(): T | undefined;
  /** The one that `next` would return. */
  peek(): T | undefined;
  /** Those that may start now. */
  size(): number;
}

/**
 * @param slots how many more of a group may start; default: all
 * @param cost of a group; default: the same for all
 */
export function createTurns<T>(
  slots: (group: string) => number = () => Number.POSITIVE_INFINITY,
  cost: (group: string) => number = () => 0,
): Turns<T> {
  /** In the order of their turns. */
  const groups = new Map<string, Set<T>>();
  const turn = (): string | undefined => {
    let first: { readonly group: string; readonly cost: number } | undefined;
    for (const group of groups.keys()) {
      if (slots(group) <= 0) continue;
      const own = cost(group);
      if (first === undefined || own < first.cost) first = { group, cost: own };
    }
    return first?.group;
  };
  return {
    add: (group, item) => {
      const items = groups.get(group);
      if (items === undefined) groups.set(group, new Set([item]));
      else items.add(item);
    },
    remove: (group, item) => {
      const items = groups.get(group);
      if (items?.delete(item) !== true) return;
      if (items.size === 0) groups.delete(group);
    },
    next: () => {
      const group = turn();
      if (group === undefined) return undefined;
      const items = groups.get(group) ?? new Set();
      const { value } = items.values().next();
      groups.delete(group);
      if (value !== undefined) items.delete(value);
      if (items.size > 0) groups.set(group, items);
      return value;
    },
    peek: () => {
      const group = turn();
      return group === undefined ? undefined : groups.get(group)?.values().next().value;
    },
    size: () => {
      let size = 0;
      for (const [group, items] of groups) size += Math.min(items.size, Math.max(0, slots(group)));
      return size;
    },
  };
}
