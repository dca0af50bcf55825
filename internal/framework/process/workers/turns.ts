/** A queue in which groups take turns, and those of one group wait in their order. */
export interface Turns<T> {
  add(group: string, item: T): void;
  remove(group: string, item: T): void;
  /** Removes and returns the next one of a group that may start one. */
  next(): T | undefined;
  /** Those that may start now. */
  size(): number;
}

/** @param slots how many more of a group may start; default: all */
export function createTurns<T>(slots: (group: string) => number = () => Number.POSITIVE_INFINITY): Turns<T> {
  /** In the order of their turns. */
  const groups = new Map<string, Set<T>>();
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
      for (const [group, items] of groups) {
        if (slots(group) <= 0) continue;
        groups.delete(group);
        for (const item of items) {
          items.delete(item);
          if (items.size > 0) groups.set(group, items);
          return item;
        }
      }
      return undefined;
    },
    size: () => {
      let size = 0;
      for (const [group, items] of groups) size += Math.min(items.size, Math.max(0, slots(group)));
      return size;
    },
  };
}
