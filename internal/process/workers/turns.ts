/** A queue in which groups take turns, and those of one group wait in their order. */
export interface Turns<T> {
  add(group: string, item: T): void;
  remove(group: string, item: T): void;
  /** Removes and returns the next one. */
  next(): T | undefined;
  size(): number;
}

export function createTurns<T>(): Turns<T> {
  /** In the order of their turns. */
  const groups = new Map<string, Set<T>>();
  let size = 0;
  return {
    add: (group, item) => {
      const items = groups.get(group);
      if (items === undefined) groups.set(group, new Set([item]));
      else items.add(item);
      size++;
    },
    remove: (group, item) => {
      const items = groups.get(group);
      if (items?.delete(item) !== true) return;
      size--;
      if (items.size === 0) groups.delete(group);
    },
    next: () => {
      for (const [group, items] of groups) {
        groups.delete(group);
        for (const item of items) {
          items.delete(item);
          size--;
          if (items.size > 0) groups.set(group, items);
          return item;
        }
      }
      return undefined;
    },
    size: () => size,
  };
}
