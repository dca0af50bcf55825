import { look, type Sample } from './sample-kind.ts';

/**
 * What no reconciler can do without, written down as a loop: a copy that may be changed, a look at the other side,
 * and the question whether the status differs from what is stored. Returns how many of them differed.
 */
export function passByHand(objects: readonly Sample[]): number {
  let differing = 0;
  for (const object of objects) {
    const copy = structuredClone(object);
    const observation = look(copy);
    if (observation.state !== 'present' || JSON.stringify(copy.status) !== JSON.stringify(object.status))
      differing++;
  }
  return differing;
}
