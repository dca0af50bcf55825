/**
 * Prints how many bytes of heap an object takes that a cache keeps, by how it is kept. A program of its own, since in a
 * process that does anything else beside it the heap's size tells nothing.
 */

import type { KubeObject } from '../object/object.ts';
import { createTextPool, dropManagedFields, poolAndFreeze } from './ingest.ts';
import { objectText } from './ingest-sample.fixture.ts';

const COUNT = 5000;

function bytesEach(keep: (object: KubeObject) => KubeObject): number {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: COUNT }, (_, index) => keep(JSON.parse(objectText(index))));
  globalThis.gc?.();
  return (process.memoryUsage().heapUsed - before) / kept.length;
}

const pool = createTextPool();
const measure = () => ({
  asSent: bytesEach((object) => object),
  pooled: bytesEach((object) => poolAndFreeze(object, pool)),
  trimmed: bytesEach(dropManagedFields),
});
// What the first round compiles is not the objects'.
measure();
process.stdout.write(JSON.stringify(measure()));
