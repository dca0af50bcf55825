import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHeap, type HeapItem } from './heap.ts';

interface Entry extends HeapItem {
  readonly rank: number;
}

const drain = (heap: { pop(): Entry | undefined }) => {
  const ranks: number[] = [];
  for (let entry = heap.pop(); entry !== undefined; entry = heap.pop()) ranks.push(entry.rank);
  return ranks;
};

test('property: whatever was pushed and removed, the rest leaves in order', () => {
  const pushes = fc.array(fc.record({ rank: fc.integer({ min: 0, max: 20 }), remove: fc.boolean() }));
  fc.assert(
    fc.property(pushes, (specs) => {
      const heap = createHeap<Entry>((a, b) => a.rank < b.rank);
      const entries = specs.map(({ rank, remove }) => ({ rank, remove, heapIndex: -1 }));
      for (const entry of entries) heap.push(entry);
      for (const entry of entries.filter((e) => e.remove)) heap.remove(entry);
      const kept = entries.filter((e) => !e.remove);
      expect(heap.size).toBe(kept.length);
      expect(drain(heap)).toEqual(kept.map((e) => e.rank).sort((a, b) => a - b));
      expect(entries.every((e) => e.heapIndex === -1)).toBe(true);
    }),
  );
});

test('removing an item that is not inside leaves the others alone', () => {
  const heap = createHeap<Entry>((a, b) => a.rank < b.rank);
  const inside = { rank: 1, heapIndex: -1 };
  heap.push(inside);
  heap.remove({ rank: 1, heapIndex: 0 });
  heap.remove({ rank: 1, heapIndex: -1 });
  expect(heap.peek()).toBe(inside);
});
