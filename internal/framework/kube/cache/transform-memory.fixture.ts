/**
 * Prints the heap bytes of a cached object for each transform function. A separate program, since other work in the same
 * process would change the heap size.
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
// The first round also allocates compiled code.
measure();
process.stdout.write(JSON.stringify(measure()));
