import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collectGarbage = runInNewContext('gc') as () => void;

/** What is made while the heap is measured. */
const kept: unknown[] = [];

const ROUNDS = 3;

/**
 * The bytes of the heap that a value takes, and the value. What others free meanwhile makes it less, so the most of some rounds counts.
 * Nothing of a round stays for the next one, which would share its texts.
 */
export function measureHeap<T>(make: () => T): { readonly bytes: number; readonly value: T } {
  const measure = () => {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    kept.push(make());
    collectGarbage();
    const bytes = process.memoryUsage().heapUsed - before;
    kept.pop();
    return bytes;
  };
  const bytes = Math.max(...Array.from({ length: ROUNDS }, measure));
  return { bytes, value: make() };
}
