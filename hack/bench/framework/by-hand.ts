import { observeSample, type Sample } from './sample-kind.ts';

/**
 * The minimum of a reconciler as a loop: copy the object, observe the external resource, compare the status with the
 * stored one. Returns how many differed.
 */
export function reconcileByHand(objects: readonly Sample[]): number {
  let differing = 0;
  for (const object of objects) {
    const copy = structuredClone(object);
    const observation = observeSample(copy);
    if (observation.state !== 'present' || JSON.stringify(copy.status) !== JSON.stringify(object.status))
      differing++;
  }
  return differing;
}
