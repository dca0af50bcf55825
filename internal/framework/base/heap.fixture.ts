import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is made while the heap is measured. */
const kept: unknown[] = [];

/** The bytes of the heap that a value takes, and the value. */
export function measureHeap<T>(make: () => T): { readonly bytes: number; readonly value: T } {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const value = make();
  kept.push(value);
  collectGarbage();
  const bytes = process.memoryUsage().heapUsed - before;
  kept.pop();
  return { bytes, value };
}
