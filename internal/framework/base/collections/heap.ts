/** The heap stores the index of each item in it; -1 while the item is in no heap. */
export interface HeapItem {
  heapIndex: number;
}

/** A binary heap that can also remove any of its items in logarithmic time. */
export interface Heap<T extends HeapItem> {
  readonly size: number;
  peek(): T | undefined;
  pop(): T | undefined;
  push(item: T): void;
  /** Without effect for an item that is not in the heap. */
  remove(item: T): void;
}

/** @param before whether `a` comes before `b`; the order of items must not change while they are in the heap */
export function createHeap<T extends HeapItem>(before: (a: T, b: T) => boolean): Heap<T> {
  const items: T[] = [];
  const setAt = (item: T, index: number) => {
    items[index] = item;
    item.heapIndex = index;
  };
  const rise = (item: T, from: number) => {
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = items[parentIndex];
      if (parent === undefined || !before(item, parent)) break;
      setAt(parent, index);
      index = parentIndex;
    }
    setAt(item, index);
  };
  const sink = (item: T, from: number) => {
    let index = from;
    for (;;) {
      const left = items[2 * index + 1];
      const right = items[2 * index + 2];
      const child = left !== undefined && right !== undefined && before(right, left) ? right : left;
      if (child === undefined || !before(child, item)) break;
      const next = child.heapIndex;
      setAt(child, index);
      index = next;
    }
    setAt(item, index);
  };
  const remove = (item: T) => {
    const index = item.heapIndex;
    if (items[index] !== item) return;
    item.heapIndex = -1;
    const last = items.pop();
    if (last === undefined || last === item) return;
    const parent = items[(index - 1) >> 1];
    if (index > 0 && parent !== undefined && before(last, parent)) rise(last, index);
    else sink(last, index);
  };
  return {
    get size() {
      return items.length;
    },
    peek: () => items[0],
    pop: () => {
      const [top] = items;
      if (top !== undefined) remove(top);
      return top;
    },
    push: (item) => rise(item, items.length),
    remove,
  };
}
