/**
 * Prints how many bytes of heap an object takes that a cache keeps, by how it is kept. A program of its own, since in a
 * process that does anything else beside it the heap's size tells nothing.
 */

import type { KubeObject } from '../object/object.ts';
import { createStringInterner, dropManagedFields, internAndFreeze } from './transform.ts';
import { objectText } from './transform-sample.fixture.ts';

const COUNT = 5000;

function bytesEach(keep: (object: KubeObject) => KubeObject): number {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: COUNT }, (_, index) => keep(JSON.parse(objectText(index))));
  globalThis.gc?.();
  return (process.memoryUsage().heapUsed - before) / kept.length;
}

const pool = createStringInterner();
const measure = () => ({
  asSent: bytesEach((object) => object),
  pooled: bytesEach((object) => internAndFreeze(object, pool)),
  trimmed: bytesEach(dropManagedFields),
});
// What the first round compiles is not the objects'.
measure();
process.stdout.write(JSON.stringify(measure()));
